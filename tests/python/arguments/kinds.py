"""Code shared by the lists of values."""


class Unusable(Exception):
    """The exception that test values raise when they are accessed; it must reach the caller unchanged."""


class Kind:
    """A kind of values: `make(content)` creates one; `raises` is the exception it must be rejected with, None if it works."""

    def __init__(self, make, raises=None, read_only=False):
        self.name = make.__name__.replace("_", " ")
        self.make, self.raises, self.read_only = make, raises, read_only


class Kinds:
    """A list of kinds, filled by its decorators."""

    def __init__(self):
        self.all = []
        self.kept = []  # keeps alive what the values of this cell need; the runner empties it

    def accepted(self, make):
        self.all.append(Kind(make))
        return make

    def read_only(self, make):
        """The kind works as a source; as a destination it is rejected with ValueError."""
        self.all.append(Kind(make, read_only=True))
        return make

    def refused(self, exception):
        def add(make):
            self.all.append(Kind(make, exception))
            return make

        return add

    def __iter__(self):
        return iter(self.all)

    def __getitem__(self, name):
        return next(kind for kind in self.all if kind.name == name)


SHARED = {}


def shared(make):
    """Creates its value once for all cells with the same size and other arguments; clear SHARED at the end."""

    def get(*arguments):
        if (make, arguments) not in SHARED:
            SHARED[make, arguments] = make(*arguments)
        return SHARED[make, arguments]

    return get
