# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition with a deadline: the only place where these tests sleep, and never for a fixed time."""
import time

LOOK_EVERY = 0.01


def wait_until(condition, seconds, what):
    """Returns the first true value of condition(); AssertionError when none comes within `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(LOOK_EVERY)
