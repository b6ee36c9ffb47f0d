"""Classes of constants, made from the native module's tables.

Members are ints, so they can be used wherever a plain int can; ``str()`` is the name, as programs print it.
"""

import enum

__all__ = ["make_enum_classes"]


class _ConstantsMeta(enum.EnumMeta):
    """``dir()`` lists every name, aliases and combined flags too."""

    def __dir__(cls):
        return sorted({*super().__dir__(), *cls.__members__})

    @property
    def names(cls):
        """Members by name."""
        return dict(cls.__members__)

    @property
    def values(cls):
        """Members by value."""
        return {int(member): member for member in cls.__members__.values()}


class _Constant(int, enum.Enum, metaclass=_ConstantsMeta):
    def __str__(self):
        return self.name

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__name__}.{self.name}"

    def __format__(self, spec):
        return format(int(self), spec) if spec else str(self)


class _Flag(enum.IntFlag, metaclass=_ConstantsMeta):
    def __str__(self):
        return _flag_text(self)

    def __repr__(self):
        cls = type(self)
        return "|".join(f"{cls.__module__}.{cls.__name__}.{part}" if part[0].isalpha() or part[0] == "_" else part
                        for part in _flag_text(self).split("|"))

    def __format__(self, spec):
        return format(int(self), spec) if spec else str(self)


def _flag_text(flag):
    """The name of a member, or the single-bit names that make it up."""
    value = int(flag)
    for name, member in type(flag).__members__.items():
        if int(member) == value:
            return name
    parts, rest = [], value
    for name, member in type(flag).__members__.items():
        bit = int(member)
        if bit and bit & (bit - 1) == 0 and rest & bit:
            parts.append(name)
            rest &= ~bit
    return "|".join(parts + ([hex(rest)] if rest or not parts else []))


def _make_class(name, flags, values):
    # Canonical names first: for enum, the first name of a value is the member's own.
    ordered = sorted(values, key=lambda row: row[2])
    members = [(member, value) for member, value, _ in ordered]
    return (_Flag if flags else _Constant)(name, members, module="pycuda._driver")


def make_enum_classes(tables):
    """``{class name: class}`` of ``[(class name, flags, [(name, value, alias)])]``."""
    return {name: _make_class(name, flags, values) for name, flags, values in tables}
