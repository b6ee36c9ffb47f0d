"""The Python side of Device."""

__all__ = ["DeviceMixin"]


class DeviceMixin:
    def __getattr__(self, name):
        """Lower-case names of device_attribute: ``dev.clock_rate``."""
        from pycuda import _driver

        attribute = _driver.device_attribute.__members__.get(name.upper()) if name == name.lower() else None
        if attribute is None:
            raise AttributeError(f"'Device' object has no attribute '{name}'")
        return self.get_attribute(attribute)

    def __dir__(self):
        from pycuda import _driver

        return [*super().__dir__(), *(name.lower() for name in _driver.device_attribute.__members__)]

    def __eq__(self, other):
        return self.handle == other.handle if isinstance(other, DeviceMixin) else NotImplemented

    def __hash__(self):
        return hash(self.handle)
