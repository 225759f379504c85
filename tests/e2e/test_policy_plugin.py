# SPDX-License-Identifier: Apache-2.0
"""A policy as a plug-in, by the commands of policies/README.md: in the simulator, the conformance suite and pegasusd."""
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BUILD, EndToEndTest, workload
from users import ALICE, BOB, UsersTest, as_user

POLICIES = Path(__file__).parents[2] / "policies"
COMPILE, SIMULATE, CONFORM = re.findall(r"^    ((?:c\+\+|build/bin/pegasus-sim|PEGASUS_POLICY_PLUGIN=).*)$",
                                        (POLICIES / "README.md").read_text(), re.M)


class PluginTest(EndToEndTest):
    """In a directory in which these commands mean this tree and the build under test."""

    def setUp(self):
        super().setUp()
        self.place = self.directory / "tree"
        (self.place / "policies/example").mkdir(parents=True)
        (self.place / "build").symlink_to(BUILD)
        self.source = self.place / "policies/example/las.cpp"
        shutil.copy(POLICIES / "example/las.cpp", self.source)

    def shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.place, capture_output=True, text=True, timeout=120,
                              env=self.environment)

    def compile(self, *changes):
        """The example, with what is to be different in it."""
        text = self.source.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.source.write_text(text)
        answer = self.shell(COMPILE)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        plugin = self.place / "las.so"
        plugin.chmod(0o755)  # whatever the umask is
        return plugin

    def refused_by_pegasusd(self, plugin, *expected, under=()):
        answer = subprocess.run([*map(str, under), BUILD / "bin/pegasusd", "--directory", self.directory / "refused",
                                 "--policy-plugin", plugin], capture_output=True, text=True, env=self.environment, timeout=30)
        self.assertEqual(answer.returncode, 2, answer)
        for words in (f"--policy-plugin: {plugin}: ", *expected):
            self.assertIn(words, answer.stderr)


class Simulated(PluginTest):
    def simulate(self, *policies, scenario="fairgv-fig8-bs"):
        words = " ".join(f"--policy '{policy}'" for policy in policies)
        return self.shell(f"build/bin/pegasus-sim {scenario} --set duration=300ms --json {words}")

    def refused(self, policy, status, *expected):
        answer = self.simulate(policy)
        self.assertEqual(answer.returncode, status, answer)
        self.assertEqual(answer.stdout, "")
        line, = answer.stderr.splitlines()
        for words in expected:
            self.assertIn(words, line)

    def test_the_commands_of_the_readme(self):
        self.compile()
        answer = self.shell(SIMULATE)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        for name in ("las", "las slice=2ms", "eevdf"):
            self.assertRegex(answer.stdout, rf"\b{name}\b")
        answer = self.shell(CONFORM)
        self.assertEqual(answer.returncode, 0, answer.stdout)
        self.assertIn("All tests passed", answer.stdout)

    def test_it_divides_the_device_by_what_was_attained(self):
        self.compile()
        answer = self.simulate("./las.so", "./las.so slice=1ms", "eevdf")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        las, las_of_1ms, eevdf = json.loads(answer.stdout)["runs"]
        self.assertEqual([run["policy"] for run in (las, las_of_1ms, eevdf)], ["las", "las slice=1ms", "eevdf"])
        for run in (las, las_of_1ms):
            for domain in run["domains"]:
                self.assertAlmostEqual(domain["share"], 1 / 3, delta=0.04)
        self.assertGreater(eevdf["domains"][2]["share"], 0.4)  # by credits, of which it has half
        self.assertLess(las_of_1ms["domains"][0]["wait_p99_us"], las["domains"][0]["wait_p99_us"])

    def test_refused(self):
        self.refused("./no.so", 2, "./no.so: No such file")
        self.refused("no.so slice=1ms", 2, "no.so: No such file")
        self.refused("policies/example/las.cpp", 2, "cannot be loaded as a shared object")
        self.compile()
        self.refused("./las.so hold=1ms", 2, 'policy las has no "hold" to be set; it has: tick, slice')

    def test_another_interface(self):
        changed, headers = self.directory / "changed", self.directory / "include/policies"
        shutil.copytree(POLICIES, changed)
        headers.mkdir(parents=True)
        view = changed / "view.h"
        view.write_text(view.read_text().replace("struct DomainView {", "struct DomainView {\n  int first = 0;"))
        subprocess.run(["cmake", f"-DFROM={changed}", f"-DTO={headers}", "-P", changed / "interface.cmake"], check=True)
        answer = self.shell(COMPILE.replace("build/include", str(headers.parent)))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.refused("./las.so", 2, "built from other headers", "build it again")

    def test_another_library(self):
        answer = self.shell(COMPILE.replace("-O2", "-O2 -D_GLIBCXX_DEBUG"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.refused("./las.so", 2, "for debugging", "build it again")

    def test_what_it_throws_is_said(self):
        self.compile(("    DomainView const* least = nullptr;", "    throw 42;\n    DomainView const* least = nullptr;"))
        self.refused("./las.so", 1, "pegasus-sim: policy las threw in decide: something that is no std::exception")


class Conformance(PluginTest):
    def test_a_failure_is_repeated_by_its_command(self):
        self.compile((".exclusive = true,\n    .tunables", ".exclusive = true,\n    .wait_ticks = 1,\n    .tunables"))
        answer = self.shell(CONFORM)
        self.assertNotEqual(answer.returncode, 0)
        text = " ".join(answer.stdout.split())
        self.assertRegex(text, r"n \* \(wait_ticks ticks \+ the longest kernel\); here \d \* \(1 \* 10 ms \+ 7 ms\) = \d+ ms")
        where, step = re.search(r"(policy las, seed \d+, step (\d+))", text).groups()
        again = re.search(r"again: (PEGASUS_POLICY_PLUGIN=.*? \"[a-z ]+\")", text)[1]
        self.assertIn(f" PEGASUS_STEPS={step} ", again)
        repeated = self.shell(again)
        self.assertNotEqual(repeated.returncode, 0)
        self.assertIn(where, " ".join(repeated.stdout.split()))
        shorter = self.shell(again.replace(f"STEPS={step}", f"STEPS={int(step) - 1}"))
        self.assertEqual(shorter.returncode, 0, shorter.stdout)

    def test_an_exception_is_a_failure_with_a_command_too(self):
        self.compile(("    if (least == nullptr)", "    if (least == nullptr) throw 42;\n    if (least == nullptr)"))
        answer = self.shell(CONFORM)
        self.assertNotEqual(answer.returncode, 0)
        self.assertRegex(" ".join(answer.stdout.split()), r"policy las, seed 0, step \d+, breaks: nothing is thrown; it threw: "
                         "policy las threw in decide: something that is no std::exception again: ")

    def test_one_policy_and_its_mistakes(self):
        self.assertIn("All tests passed", self.shell("PEGASUS_POLICY=rr PEGASUS_SEED=3 build/tests/conformance_test").stdout)
        for setting, said in (("PEGASUS_POLICY=nosuch", 'there is no policy "nosuch"'),
                              ("PEGASUS_STEPS=many", "a number is wanted"),
                              ("PEGASUS_POLICY_PLUGIN=./no.so", "No such file")):
            answer = self.shell(f"{setting} build/tests/conformance_test")
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(said, answer.stdout)


class InTheDaemon(PluginTest):
    def trusted(self, plugin):
        """Where a daemon of this user may load it from: as root only where no other user can replace it."""
        if os.geteuid() != 0:
            return plugin
        place = Path(tempfile.mkdtemp(prefix="pegasus-e2e-", dir=pwd.getpwuid(0).pw_dir))
        self.addCleanup(shutil.rmtree, place)
        return Path(shutil.copy(plugin, place))

    def test_it_is_chosen_at_the_start_and_live(self):
        plugin = self.trusted(self.compile())
        daemon = self.start_daemon(policy="las:slice=2ms", options=["--policy-plugin", plugin])
        rows = {row["name"]: row for row in daemon.ask("policies")["policies"]}
        self.assertTrue(rows["las"]["active"])
        self.assertEqual(rows["las"]["source"], "example")
        programs = [self.guest(daemon, [workload("vector_add")], domain=f"d{n}") for n in range(2)]
        for words in (["rr"], ["las"], ["eevdf"], ["las", "slice=1ms"]):
            answer = daemon.ctl("policy", *words)
            self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(daemon.ask("policy")["name"], "las")
        programs.append(self.guest(daemon, [workload("vector_add")], domain="d3"))
        for program in programs:
            self.assertPassed(program)
        self.assertIn("policy las has no", daemon.ctl("policy", "las", "hold=1ms").stderr)

    def test_a_private_daemon_loads_it(self):
        plugin = self.trusted(self.compile())
        words = [BUILD / "bin/pegasus", "run", "--private", "--policy-plugin", plugin, "--policy"]
        answer = subprocess.run([*words, "las:slice=2ms", "--", workload("vector_add")], capture_output=True, text=True,
                                env=self.environment, timeout=60)
        self.assertEqual(answer.returncode, 0, answer)
        answer = subprocess.run([*words, "nosuch", "true"], capture_output=True, text=True, env=self.environment, timeout=60)
        self.assertEqual(answer.returncode, 2, answer)
        self.assertIn(", las", answer.stderr)

    def test_without_the_file_there_is_no_such_policy(self):
        answer = subprocess.run([BUILD / "bin/pegasusd", "--policy", "las"], capture_output=True, text=True, env=self.environment,
                                timeout=30)
        self.assertEqual(answer.returncode, 2, answer)
        self.assertIn('--policy: there is no policy "las"', answer.stderr)

    def test_a_file_that_others_can_change_is_refused(self):
        plugin = self.trusted(self.compile())
        self.refused_by_pegasusd(self.directory / "no.so", "No such file")
        for mode in (0o775, 0o757):
            plugin.chmod(mode)
            self.refused_by_pegasusd(plugin, f"can be changed by others (mode {mode:o})")
        plugin.chmod(0o755)
        if os.geteuid() == 0:
            plugin.parent.chmod(0o777)
            self.refused_by_pegasusd(plugin, f"its directory {plugin.parent} can be changed by others")

    def test_a_policy_that_throws_ends_it_with_a_sentence(self):
        plugin = self.trusted(self.compile(("return std::make_unique<LeastAttainedService>(set)", "throw 42")))
        daemon = self.start_daemon(options=["--policy-plugin", plugin])
        daemon.ctl("policy", "las")
        self.assertEqual(daemon.popen.wait(timeout=10), 1)
        self.assertIn("policy las threw in make", daemon.log)


class OfAnotherUser(UsersTest, PluginTest):
    """A daemon that is not root's takes its own user's file and root's, and nobody else's."""

    def test_whose_file(self):
        plugin = self.compile()
        self.directory.chmod(0o755)
        os.chown(plugin, BOB, BOB)
        self.refused_by_pegasusd(plugin, f"it belongs to user {BOB}, and you or root must own it", under=as_user(ALICE, []))
        for owner in (0, ALICE):
            os.chown(plugin, owner, owner)
            answer = subprocess.run([*map(str, as_user(ALICE, [BUILD / "bin/pegasusd"])), "--policy", "nosuch", "--policy-plugin",
                                     plugin], capture_output=True, text=True, env=self.environment, timeout=30)
            self.assertIn(", las", answer.stderr)  # it is loaded: one of those that there are


if __name__ == "__main__":
    unittest.main()
