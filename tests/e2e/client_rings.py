# SPDX-License-Identifier: Apache-2.0
"""Connects by hand and breaks its call buffer, again and again: a worker is started and ends, and a line is logged, each
time."""
import os

from raw_guest import PING, RawGuest, hello


class Daemon:
    directory = os.path.dirname(os.environ["PEGASUS_SOCKET"])


while True:
    guest = RawGuest(Daemon, hello(domain=os.environ["PEGASUS_DOMAIN"].encode()))
    if guest.error == 0 and guest.works():
        guest.post(PING, sequence=0x80000000)
        guest.hung_up()
    guest.close()
