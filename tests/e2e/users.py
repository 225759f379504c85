# SPDX-License-Identifier: Apache-2.0
"""Users of this machine who try to be each other. Root lends them processes; they need no entry anywhere."""
import grp
import os
import subprocess
import unittest

from support import BUILD, PEGASUS, EndToEndTest, workload

ALICE, BOB = 64101, 64102  # without a login name, as users of containers are


def some_group():
    """One that is there and that the users are not in by themselves."""
    return next(group for group in grp.getgrall() if group.gr_gid not in (0, ALICE, BOB))


def as_user(user, command, groups=()):
    """`command` with the user's number as its user and group."""
    listed = ["--groups", ",".join(map(str, groups))] if groups else ["--clear-groups"]
    return ["setpriv", "--reuid", user, "--regid", user, *listed, "--", *command]


@unittest.skipIf(os.geteuid() != 0, "only root can lend processes to other users")
class UsersTest(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o711)
        self.group = some_group()
        reads = subprocess.run([*map(str, as_user(ALICE, ["test", "-x", workload("vector_add")]))], check=False)
        if reads.returncode != 0:
            self.skipTest(f"other users cannot read the build in {BUILD}")

    def start_shared_daemon(self, *options):
        """For the users of the group."""
        return self.start_daemon(options=["--socket-group", self.group.gr_name, *options])

    def program_of(self, user, daemon, domain=None, into=None):
        """A CUDA program without `pegasus run`. `into`: the control group that it enters first."""
        command = as_user(user, [workload("vector_add"), "--elements", "1000"], [self.group.gr_gid])
        if into is not None:
            command = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', into / "cgroup.procs", *command]
        return self.start(command, environment=daemon.environment_of_guest(domain))

    def pegasus_run(self, user, where, *options, program=None):
        """`pegasus run` as a user of the group."""
        command = program or [workload("vector_add"), "--elements", "1000"]
        return self.start(as_user(user, [PEGASUS, "run", "--daemon", where, *options, "--", *command],
                                  [self.group.gr_gid]))

    def ctl(self, user, where, *words, member=True):
        """pegasusctl as a user, of the group or not; `where`: a daemon's directory or socket."""
        command = as_user(user, [BUILD / "bin" / "pegasusctl", "--daemon", where, *words],
                          [self.group.gr_gid] if member else [])
        program = self.start(command)
        program.ended()
        return program

    def assertRefused(self, program, sentence):
        self.assertStatus(program, 1)
        self.assertOneSentence(program, f"the accelerator daemon refused this program: {sentence}")
