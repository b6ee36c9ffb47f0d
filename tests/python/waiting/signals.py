"""Signals that a test sends to its own process. On Windows os.kill would end it, a console's Ctrl-C arrives on another thread, and there are no
timers of signals."""

import os
import signal
import sys
import threading


def send(number=signal.SIGINT):
    """As Ctrl-C or another process does."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        os.kill(os.getpid(), number)


if sys.platform == "win32":
    ALARM = signal.SIGINT
    _alarms = []

    def alarm(seconds):
        """Send ALARM in so many seconds; 0: do not."""
        while _alarms:
            _alarms.pop().cancel()
        if seconds:
            _alarms.append(threading.Timer(seconds, signal.raise_signal, [ALARM]))
            _alarms[0].start()
else:
    ALARM = signal.SIGALRM

    def alarm(seconds):
        """Send ALARM in so many seconds; 0: do not."""
        signal.setitimer(signal.ITIMER_REAL, seconds)
