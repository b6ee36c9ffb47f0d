"""What the driver orders: a vector clock for each stream and for the host.

An actor is the host or a stream. `clocks[actor][other]` is how much of what `other` has done is over before what the actor does next.
Where the driver's manual leaves something open, nothing is ordered: a program that needs it is not generated.
"""

HOST = "host"
DEFAULT = "None"  # the legacy default stream, as Python names it


def is_non_blocking(stream):
    return stream.startswith("n")


class Unordered(Exception):
    """What `later` is to do must come after something that `earlier` has done, and nothing says so."""

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

    def join(self, actor, clock):
        mine = self.clock(actor)
        for other, count in clock.items():
            if mine.get(other, 0) < count:
                mine[other] = count

    def queue(self, stream):
        """The next piece of work of a stream: it comes after what the host knows of, and what the default stream implies."""
        self.join(stream, self.clocks[HOST])
        if stream == DEFAULT:
            for other in list(self.clocks):
                if other not in (HOST, DEFAULT) and not is_non_blocking(other) and other not in self.dropped:
                    self.join(stream, self.clocks[other])
        elif not is_non_blocking(stream):
            self.join(stream, self.clock(DEFAULT))

    def step(self, actor):
        """The actor does something. Returns when: a pair that `covers` takes."""
        clock = self.clock(actor)
        clock[actor] = clock.get(actor, 0) + 1
        return actor, clock[actor]

    def covers(self, actor, when):
        earlier, count = when
        return self.clock(actor).get(earlier, 0) >= count

    def wait_for_event(self, stream, recorded_on):
        """stream.wait_for_event(Event().record(recorded_on))"""
        self.join(recorded_on, self.clocks[HOST])
        self.join(stream, self.clock(recorded_on))
        self.join(stream, self.clocks[HOST])

    def host_waits(self, stream):
        self.join(HOST, self.clock(stream))

    def host_waits_for_all(self):
        for clock in list(self.clocks.values()):
            self.join(HOST, clock)

    def drop(self, stream):
        """The stream is destroyed. Its work goes on; only a wait for the whole context is sure to know of it."""
        self.dropped.add(stream)


class Uses:
    """Of one piece of memory: what a new use must come after."""

    def __init__(self):
        self.written, self.read = None, {}

    def check_read(self, order, actor):
        if self.written and not order.covers(actor, self.written):
            raise Unordered(self.written[0], actor)

    def check_write(self, order, actor):
        self.check_read(order, actor)
        for when in self.read.items():
            if not order.covers(actor, when):
                raise Unordered(when[0], actor)

    def note_read(self, when):
        self.read[when[0]] = when[1]

    def note_write(self, when):
        self.written, self.read = when, {}
