# SPDX-License-Identifier: Apache-2.0
"""Which domain a program of this machine is in, when its users do not trust each other."""
import json
import os
import socket
import stat
import sys
import unittest
from pathlib import Path

from support import BUILD, HERE, PEGASUS, EndToEndTest, workload
from users import ALICE, BOB, UsersTest, as_user
from waiting import wait_until


class ByUser(UsersTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_shared_daemon("--domains", "user")

    def test_each_user_has_a_domain(self):
        for user in (ALICE, BOB):
            self.assertPassed(self.program_of(user, self.daemon))
            self.assertPassed(self.program_of(user, self.daemon, domain=f"uid-{user}"))
        self.assertEqual(set(self.daemon.domains()), {f"uid-{ALICE}", f"uid-{BOB}"})

    def test_a_user_with_a_name(self):
        self.assertPassed(self.program_of(0, self.daemon))
        self.assertEqual(list(self.daemon.domains()), ["root"])

    def test_no_user_is_another(self):
        for user, other in ((ALICE, BOB), (BOB, ALICE)):
            for name in (f"uid-{other}", "root", "default"):
                self.assertRefused(self.program_of(user, self.daemon, domain=name),
                                   f"this program's domain is uid-{user}, by its user, not {name}: "
                                   f"name uid-{user} or no domain")
        self.assertEqual(self.daemon.domains(), {})


    def test_pegasus_run_names_no_domain_by_itself(self):
        self.assertPassed(self.pegasus_run(ALICE, self.daemon.directory))
        self.assertEqual(list(self.daemon.domains()), [f"uid-{ALICE}"])
        self.assertRefused(self.pegasus_run(ALICE, self.daemon.directory, "--domain", f"uid-{BOB}"),
                           f"this program's domain is uid-{ALICE}, by its user, not uid-{BOB}: "
                           f"name uid-{ALICE} or no domain")

    def test_pegasus_run_does_not_guess_whose_settings(self):
        program = self.start([PEGASUS, "run", "--daemon", self.daemon.directory, "--credits", "7", "--", "true"])
        self.assertStatus(program, 2)
        self.assertOneSentence(program, "this pegasusd takes a program's domain from its user: name the domain")
        self.start([PEGASUS, "run", "--daemon", self.daemon.directory, "--credits", "7", "--domain", "root", "--",
                    workload("throttle"), "--seconds", "30"])
        self.daemon.wait_for_task("root")
        self.assertEqual(self.daemon.domains()["root"]["credits"], 7)


class ASecondUser(UsersTest):
    """`pegasus run` with another user's daemon, whose control socket it does not need."""

    def test_runs(self):
        daemon = self.start_shared_daemon()
        self.assertPassed(self.pegasus_run(ALICE, daemon.directory, "--domain", "hers"))
        self.assertEqual(list(daemon.domains()), ["hers"])

    def test_runs_though_only_guest_sock_is_open(self):
        daemon = self.start_daemon()
        daemon.serve_everybody()
        self.assertPassed(self.pegasus_run(ALICE, daemon.directory))
        self.assertEqual(list(daemon.domains()), ["vector_add"])

    def test_changes_no_settings(self):
        daemon = self.start_shared_daemon()
        for options in (["--credits", "65535"], ["--memory", "0"]):
            program = self.pegasus_run(ALICE, daemon.directory, *options)
            self.assertStatus(program, 125)
            self.assertOneSentence(program,
                                   "--credits, --memory and the like change a domain, which is for the daemon's operator",
                                   f"you may not use the socket {daemon.directory}/control.sock: ask its owner",
                                   "without them the program runs with what its domain has")
        self.assertEqual(daemon.domains(), {})

    def test_no_socket_is_open(self):
        daemon = self.start_daemon()
        program = self.pegasus_run(ALICE, daemon.directory)
        self.assertStatus(program, 125)
        self.assertOneSentence(program, f"you may use neither {daemon.directory}/control.sock nor")


class WhoListens(UsersTest):
    """A daemon is believed if it is root's or one's own."""

    def setUp(self):
        super().setUp()
        self.theirs = self.directory / "theirs"
        self.theirs.mkdir()
        os.chown(self.theirs, ALICE, ALICE)
        script = (HERE / "impostor.py").read_text()  # other users may not be able to read it where it lies
        self.impostor = self.start(as_user(ALICE, [sys.executable, "-c", script, self.theirs]))
        wait_until(lambda: "ready" in self.impostor.out, 30, lambda: f"the impostor listens: {self.impostor}")

    def assertNotBelieved(self, program, status, path):
        self.assertStatus(program, status)
        self.assertOneSentence(program, f"{path} belongs to user {ALICE}, who is neither root nor you: "
                                        "use root's daemon or one of your own")

    def test_tools(self):
        for user in (0, BOB):
            self.assertNotBelieved(self.ctl(user, self.theirs, "domains"), 3, self.theirs / "control.sock")
            self.assertNotBelieved(self.ctl(user, self.theirs, "reset"), 3, self.theirs / "control.sock")
            self.assertNotBelieved(self.pegasus_run(user, self.theirs), 125, self.theirs / "control.sock")
        self.assertNotTold(connections=6)

    def test_programs(self):
        environment = dict(self.environment, LD_LIBRARY_PATH=str(BUILD / "lib"),
                           PEGASUS_SOCKET=str(self.theirs / "guest.sock"))
        for user in (0, BOB):
            program = self.start(as_user(user, [workload("vector_add")]), environment=environment)
            self.assertNotBelieved(program, 1, self.theirs / "guest.sock")
        self.assertNotTold(connections=2)

    def test_ones_own(self):
        self.assertStatus(self.ctl(ALICE, self.theirs, "domains"), 3)
        wait_until(lambda: "told 6" in self.impostor.out, 10, lambda: f"it is asked: {self.impostor}")
        self.assertPassed(self.start(as_user(ALICE, [PEGASUS, "run", "--private", "--", workload("vector_add")])))

    def assertNotTold(self, connections):
        """The impostor may come to run after the programs have ended: it has said what each connection told it."""
        def told():
            return self.impostor.out.split("\n")[1:-1]

        wait_until(lambda: len(told()) >= connections, 30, lambda: f"it tells of each connection: {self.impostor}")
        self.assertEqual(told(), ["told 0"] * connections, str(self.impostor))


def find_hierarchy():
    """A directory of control groups that root may add to, or None: v1's, or v2's."""
    for name in ("pids", "freezer", "systemd", "unified", "."):
        root = Path("/sys/fs/cgroup") / name
        made = root / f"pegasus-e2e-{os.getpid()}"
        try:
            if (root / "cgroup.procs").exists():
                made.mkdir()
                made.rmdir()
                return root
        except OSError:
            continue
    return None


HIERARCHY = find_hierarchy()


@unittest.skipIf(HIERARCHY is None, "no hierarchy of control groups can be written to here")
class ByCgroup(UsersTest):
    def group_at(self, path):
        """Made with its parents, below a directory of this test's own."""
        made = HIERARCHY / f"pegasus-e2e-{os.getpid()}"
        for part in ("", *path.split("/")):
            made = made / part
            if not made.exists():
                made.mkdir()
                self.addCleanup(made.rmdir)
        return made

    def test_the_usual_rules(self):
        daemon = self.start_shared_daemon("--domains", "cgroup")
        for path, domain in (("slurm/job_71/step_0", "job-71"), ("user-7.slice", "user-7"),
                             ("machine-web.scope", "machine-web"),
                             ("libpod-0123456789abcdef.scope", "libpod-0123456789ab"),
                             ("user-7.slice/job_72", "user-7")):
            group = self.group_at(path)
            self.assertPassed(self.program_of(ALICE, daemon, into=group))
            self.assertPassed(self.program_of(BOB, daemon, domain=domain, into=group))
        self.assertEqual(set(daemon.domains()), {"job-71", "user-7", "machine-web", "libpod-0123456789ab"})
        self.assertRefused(self.program_of(ALICE, daemon, domain="job-72", into=self.group_at("slurm/job_71")),
                           "this program's domain is job-71, by its cgroup, not job-72: "
                           "name job-71 or no domain")

    def test_no_rule_no_domain(self):
        daemon = self.start_shared_daemon("--domains", "cgroup")
        for path in ("nothing", "myjob_71"):
            self.assertRefused(self.program_of(ALICE, daemon, into=self.group_at(path)),
                               "no cgroup rule of pegasusd matches this program's cgroup (pegasusd --domains cgroup)")
        self.assertEqual(daemon.domains(), {})

    def test_an_operators_rules(self):
        mine = f"/pegasus-e2e-{os.getpid()}"
        options = self.directory / "options"
        options.write_text("domains = \"cgroup\"\n"
                           rf"cgroup-rule = ['{mine}/team=the-team', 'lab-(\w+)=lab.\1']" "\n")
        daemon = self.start_shared_daemon("--config", options)
        self.assertPassed(self.program_of(ALICE, daemon, into=self.group_at("team/a")))
        self.assertPassed(self.program_of(ALICE, daemon, into=self.group_at("b/lab-x")))
        self.assertEqual(set(daemon.domains()), {"the-team", "lab.x"})
        self.assertRefused(self.program_of(ALICE, daemon, into=self.group_at("a/team")),
                           "no cgroup rule of pegasusd matches this program's cgroup (pegasusd --domains cgroup)")


class Status(UsersTest):
    LOOKS = (["domains"], ["accelerators"], ["policies"], ["policy"], ["log"], ["version"], ["top", "-c", "1"])
    CHANGES = (["set", "--create", "mine", "credits=65535"], ["policy", "none"], ["reset"])

    def setUp(self):
        super().setUp()
        self.daemon = self.start_shared_daemon()

    def socket(self, name):
        return os.path.join(self.daemon.directory, name)

    def test_modes(self):
        for name, mode, group in (("control.sock", 0o600, 0), ("guest.sock", 0o660, self.group.gr_gid),
                                  ("status.sock", 0o660, self.group.gr_gid)):
            status = os.stat(self.socket(name))
            self.assertEqual((stat.S_IMODE(status.st_mode), status.st_gid), (mode, group), name)
        alone = self.start_daemon(name="alone")
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(alone.directory, "status.sock")).st_mode), 0o600)

    def test_the_group_looks(self):
        for words in self.LOOKS:
            self.assertStatus(self.ctl(ALICE, self.daemon.directory, "--json", *words), 0)
        version = json.loads(self.ctl(ALICE, self.daemon.directory, "--json", "version").out)
        self.assertEqual(version["pegasusd"]["domains_by"], "named")

    def test_no_other_user_looks(self):
        for words in self.LOOKS:
            looks = self.ctl(ALICE, self.daemon.directory, *words, member=False)
            self.assertStatus(looks, 3)
            self.assertOneSentence(looks, f"you may use neither {self.socket('control.sock')} nor "
                                          f"{self.socket('status.sock')}: ask their owner")

    def test_the_group_changes_nothing(self):
        for words in self.CHANGES:
            changes = self.ctl(ALICE, self.daemon.directory, *words)
            self.assertStatus(changes, 3)
            self.assertOneSentence(changes, f"you may not use the socket {self.socket('control.sock')}: ask its owner")
            for user in (ALICE, 0):
                changes = self.ctl(user, self.socket("status.sock"), *words)
                self.assertStatus(changes, 3)
                self.assertOneSentence(changes, "status.sock only shows: what changes something is asked at "
                                                "control.sock, which is for pegasusd's own user")
        self.assertEqual(self.daemon.domains(), {})
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")

    def test_a_user_takes_some_connections_and_no_more(self):
        held = []
        for _ in range(16):
            held.append(socket.socket(socket.AF_UNIX))
            self.addCleanup(held[-1].close)
            held[-1].connect(self.socket("status.sock"))
        with socket.socket(socket.AF_UNIX) as one_more:
            one_more.settimeout(10)
            one_more.connect(self.socket("status.sock"))
            self.assertEqual(one_more.recv(1), b"")
        self.assertStatus(self.ctl(ALICE, self.daemon.directory, "domains"), 0)


class NotStarted(EndToEndTest):
    def refused(self, *options):
        program = self.start([BUILD / "bin" / "pegasusd", "--directory", self.directory / "daemon", *options])
        self.assertStatus(program, 2)
        self.assertFalse((self.directory / "daemon" / "guest.sock").exists())
        return program.out + program.err

    def test_rules(self):
        for rule in ("job_5", "job_(=x", r"job=\1", "job=a b"):
            said = self.refused("--domains", "cgroup", "--cgroup-rule", rule)
            self.assertIn(f'"{rule}" is not a rule REGEX=NAME: ', said)
        self.assertIn("rules need --domains cgroup", self.refused("--cgroup-rule", "job=x"))

    def test_a_group(self):
        self.assertIn('there is no group "no-such-group" on this machine',
                      self.refused("--socket-group", "no-such-group"))

    def test_a_directory_of_others(self):
        os.mkdir(self.directory / "daemon")
        os.chmod(self.directory / "daemon", 0o777)
        said = self.refused("--accelerator", "software")
        self.assertIn(f"others may write to the directory {self.directory}/daemon (its mode is 0777)", said)


if __name__ == "__main__":
    unittest.main()
