"""What the driver orders: a vector clock for each stream and for the host.

An actor is the host or a stream. `clocks[actor][other]` is how much of what `other` has done is over before what the actor does next.
Where the driver's manual leaves something open, nothing is ordered: a program that needs it is not generated.
"""

HOST = "host"
DEFAULT = "None"  # the legacy default stream, as Python names it


def is_non_blocking(stream):
    return stream.startswith("n")


class Unordered(Exception):
    """Work of `later` depends on earlier work of `earlier`, but nothing orders them."""

    def __init__(self, earlier, later):
        super().__init__(f"{later} is not ordered after {earlier}")
        self.earlier, self.later = earlier, later


class Order:
    def __init__(self):
        self.clocks = {HOST: {HOST: 0}}
        self.dropped = set()

    def clock(self, actor):
        known = self.clocks.get(actor)
        if known is None:
            known = self.clocks[actor] = {}
        return known

    def queued(self, stream):
        """The clock of a stream's next piece of work: after everything that the host knows to be over, and that the default stream implies."""
        before = [HOST]
        if stream == DEFAULT:
            before += [other for other in self.clocks if other != HOST and not is_non_blocking(other) and other not in self.dropped]
        elif not is_non_blocking(stream):
            before.append(DEFAULT)
        clock = dict(self.clock(stream))
        for other in before:
            _join(clock, self.clock(other))
        return clock

    def without_default(self, stream):
        """What the stream knows of before the default stream implies anything: a driver reads the source of a small copy to the device
        when it is queued, if the stream has nothing to do, and looks only at that stream (driver 580)."""
        clock = dict(self.clock(stream))
        _join(clock, self.clock(HOST))
        return clock

    def queue(self, stream, clock):
        """The stream does that work. Returns its time: the actor and its count."""
        self.clocks[stream] = clock
        return self.step(stream)

    def step(self, actor):
        clock = self.clock(actor)
        clock[actor] = clock.get(actor, 0) + 1
        return actor, clock[actor]

    def wait_for_event(self, stream, recorded_on):
        """stream.wait_for_event(Event().record(recorded_on))"""
        for earlier in (HOST, recorded_on):
            _join(self.clock(stream), self.clock(earlier))

    def host_waits(self, stream):
        _join(self.clocks[HOST], self.clock(stream))

    def host_waits_for_all(self):
        for clock in self.clocks.values():
            _join(self.clocks[HOST], clock)

    def drop(self, stream):
        """The stream is destroyed. Its work continues; only a wait for the whole context is certain to include it."""
        self.dropped.add(stream)


def _join(clock, other):
    for actor, count in other.items():
        if clock.get(actor, 0) < count:
            clock[actor] = count


def _covers(clock, when):
    return clock.get(when[0], 0) >= when[1]


class Uses:
    """The earlier uses of one piece of memory, which a new use must follow."""

    def __init__(self):
        self.written, self.read = None, {}

    def check_read(self, actor, clock):
        if self.written and not _covers(clock, self.written):
            raise Unordered(self.written[0], actor)

    def check_write(self, actor, clock):
        self.check_read(actor, clock)
        for when in self.read.items():
            if not _covers(clock, when):
                raise Unordered(when[0], actor)

    def note_read(self, when):
        self.read[when[0]] = when[1]

    def note_write(self, when):
        self.written, self.read = when, {}
