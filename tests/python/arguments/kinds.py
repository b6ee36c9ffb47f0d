"""What the lists of values have in common."""


class Unusable(Exception):
    """What a value of the tests raises when it is looked at; it has to come out as it is."""


class Kind:
    """A kind of values: `make(content)` gives one; `raises` says what it is to be refused with, None if it works."""

    def __init__(self, make, raises=None, read_only=False):
        self.name = make.__name__.replace("_", " ")
        self.make, self.raises, self.read_only = make, raises, read_only


class Kinds:
    """A list of kinds, which its decorators fill."""

    def __init__(self):
        self.all = []
        self.kept = []  # what the values of this cell need; the runner empties it

    def accepted(self, make):
        self.all.append(Kind(make))
        return make

    def read_only(self, make):
        """Works as a source; a destination is refused with ValueError."""
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
    """Makes its value once for all cells, one for each size or other arguments; clear SHARED at the end."""

    def get(*arguments):
        if (make, arguments) not in SHARED:
            SHARED[make, arguments] = make(*arguments)
        return SHARED[make, arguments]

    return get
