# SPDX-License-Identifier: Apache-2.0
"""The time of one call of gpu-check: it ends in time, and says what it left out."""
import signal
import time


class OutOfTime(Exception):
    """The time of the call is used up in the midst of a section."""


class Budget:
    CLEANING_UP_S = 15

    def __init__(self, seconds):
        self._end = time.monotonic() + seconds
        self.left_out = []  # by name

    def left(self):
        return self._end - time.monotonic()

    def enforce(self):
        """From now on OutOfTime is raised when the time is used up but for cleaning up."""
        def expired(_number, _frame):
            raise OutOfTime("the time of this call is used up")
        signal.signal(signal.SIGALRM, expired)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, self.left() - self.CLEANING_UP_S))

    @staticmethod
    def relax():
        signal.setitimer(signal.ITIMER_REAL, 0)

    def each(self, items, name=str):
        """The items, one after the other, while there is time for one more as long as the longest so far."""
        longest = 0
        for item in items:
            if self.left() - self.CLEANING_UP_S <= longest:
                self.left_out.append(name(item))
                continue
            begin = time.monotonic()
            yield item
            longest = max(longest, time.monotonic() - begin)
