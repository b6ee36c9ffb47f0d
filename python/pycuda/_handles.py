"""The Python side of every class of handles."""

__all__ = ["SharedMixin", "make_handles_properties", "make_properties"]


class SharedMixin:
    """A mixin for objects that several Python objects may represent."""

    def __eq__(self, other):
        return self._identity() == other._identity() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self):
        return hash(self._identity())


def make_handles_properties(namespace):
    """Makes the getter ``handle`` of each class in `namespace` a property."""
    for cls in namespace.values():
        if isinstance(cls, type) and callable(cls.__dict__.get("handle")):
            cls.handle = property(cls.handle)


def make_properties(getters):
    """Makes getters properties: `getters` has their names, separated by blanks, for each class."""
    for cls, names in getters.items():
        for name in names.split():
            setattr(cls, name, property(getattr(cls, name)))
