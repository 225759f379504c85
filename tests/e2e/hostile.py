# SPDX-License-Identifier: Apache-2.0
"""What the tests with hostile guests share: an honest neighbour, and what must be true afterwards."""
from raw_guest import RawGuest
from support import EndToEndTest, workload


class HostileTest(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.honest = self.guest(self.daemon, [workload("throttle"), "--seconds", "1"], domain="honest")
        self.daemon.wait_for_task("honest")

    def tearDown(self):
        """The daemon lives, the neighbour verifies, and nothing stays of a client that left."""
        self.assertPassed(self.honest)
        self.assertPassed(self.guest(self.daemon, [workload("vector_add"), "--elements", "1000"]))
        for guest in getattr(self, "guests", ()):
            guest.close()
        self.daemon.wait_until_clean()

    def connect(self, *packet, **how):
        guest = RawGuest(self.daemon, *packet, **how)
        self.guests = [*getattr(self, "guests", ()), guest]
        self.addCleanup(guest.close)
        return guest
