"""The Python side of Device."""

from pycuda._attribute_notes import NOTES

__all__ = ["DeviceMixin", "add_attributes_by_name"]


class DeviceMixin:
    def __eq__(self, other):
        return self.handle == other.handle if isinstance(other, DeviceMixin) else NotImplemented

    def __hash__(self):
        return hash(self.handle)

    def on_over_budget(self, listener):
        """Call a function when the process exceeds its budget of the device's memory.

        Parameters
        ----------
        listener : callable
            Called with the number of bytes above the budget, on a thread of the driver; must return soon.

        Returns
        -------
        DriverCallback
            The function is called as long as this object lives, unless it is unregistered.

        Raises
        ------
        LogicError
            The system has no budgets.
        RuntimeError
            The driver is older than CUDA 12.4's.

        Notes
        -----
        Driver call: cuDeviceRegisterAsyncNotification.
        """
        from pycuda import _driver

        return _driver._on_over_budget(self, listener)

    def _repr_html_(self):
        from pycuda._html import device_html

        return device_html(self)


def add_attributes_by_name(cls, constants):
    """Makes the results of cls.get_attribute available by name, in lower and upper case: ``dev.clock_rate``, ``dev.CLOCK_RATE``.

    Properties rather than __getattr__, which would slow every other access down, method calls too.
    """
    def reader(member):
        return lambda self: self.get_attribute(member)

    notes = NOTES[constants.__name__]
    for name, member in constants.__members__.items():
        note, cuda = notes[name]
        value = property(reader(member), doc=f"{note[0].upper()}{note[1:]} (``{cuda}``).")
        for spelling in (name.lower(), name):
            if not hasattr(cls, spelling):
                setattr(cls, spelling, value)
