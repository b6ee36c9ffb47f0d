"""The Python side of Device."""

from pycuda._attribute_notes import NOTES

__all__ = ["DeviceMixin", "add_attributes_by_name"]


class DeviceMixin:
    def __eq__(self, other):
        return self.handle == other.handle if isinstance(other, DeviceMixin) else NotImplemented

    def __hash__(self):
        return hash(self.handle)

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
