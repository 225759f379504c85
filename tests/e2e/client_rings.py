# SPDX-License-Identifier: Apache-2.0
"""Connects by hand and breaks its call buffer, again and again: a worker is started and ends, and a line is logged, each
time."""
import os

from raw_guest import PING, RawGuest, connect_request


class Daemon:
    directory = os.path.dirname(os.environ["PEGASUS_SOCKET"])


while True:
    guest = RawGuest(Daemon, connect_request(domain=os.environ["PEGASUS_DOMAIN"].encode()))
    if guest.error == 0 and guest.works():
        guest.post(PING, sequence=0x80000000)
        guest.hung_up()
    guest.close()
