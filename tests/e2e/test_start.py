# SPDX-License-Identifier: Apache-2.0
"""pegasusd starts: its options and its file, and what it says when it cannot."""
import subprocess
import sys
import unittest

from support import BUILD, EndToEndTest, python, workload

POLICIES = ("none", "rr", "accc")


class StartingTheDaemon(EndToEndTest):
    def refused(self, words, status, *expected):
        program = self.start([BUILD / "bin" / "pegasusd", *words])
        self.assertStatus(program, status, within=10)
        for text in expected:
            self.assertIn(text, program.err)

    def test_without_shared_memory_it_says_so(self):
        program = self.start(["prlimit", "--fsize=4096", BUILD / "bin" / "pegasusd", "--accelerator", "software",
                              "--directory", self.directory / "small"])
        self.assertStatus(program, 1, within=10)
        self.assertIn("pegasusd: error: files of this process may have 4096 bytes (ulimit -f)", program.err)

    def test_a_worker_without_address_space_says_so(self):
        program = self.start(["prlimit", "--as=600000000", BUILD / "bin" / "pegasus", "run", "--", workload("vector_add")])
        self.assertNotEqual(program.ended(30), 0)
        self.assertIn("pegasusd was started with a limit (ulimit -a) of 600000000, and a worker needs", program.err)

    def test_without_descriptors_it_says_so(self):
        for most in (8, 12):
            program = self.start(["prlimit", f"--nofile={most}", BUILD / "bin" / "pegasusd", "--accelerator", "software",
                                  "--directory", self.directory / "few"])
            self.assertStatus(program, 1, within=10)
            self.assertRegex(program.err, r"^20\d\d-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d pegasusd: error: cannot start: .*Too many open "
                             r"files.*ulimit")

    def test_the_default_policy(self):
        policy = self.start_daemon(policy=None).ask("policy")
        self.assertEqual((policy["name"], policy["tunables"]["hold"]["value"]), ("eevdf", "auto"))
        usage = subprocess.run([BUILD / "bin" / "pegasusd", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertIn("(default: eevdf:hold=auto)", usage)

    def test_bounds(self):
        # It uses one element behind its array.
        for bounds, status in (("exact", 1), ("gap", 0)):
            with self.subTest(bounds):
                daemon = self.start_daemon(name=bounds, options=["--software-bounds", bounds])
                program = self.guest(daemon, python("client_bounds.py"))
                self.assertStatus(program, status)
                self.assertIn("illegal load of 4 bytes", program.err)
                self.assertEqual(program.err.count("it was allowed"), 1 - status)

    def test_multiprocessors(self):
        daemon = self.start_daemon(options=["--software-multiprocessors", "16"])
        asks = self.guest(daemon, [sys.executable, "-c", "import ctypes\ncuda, count = ctypes.CDLL('libcuda.so.1'), ctypes.c_int()\n"
                                   "print(cuda.cuInit(0), cuda.cuDeviceGetAttribute(ctypes.byref(count), 16, 0), count.value)"])
        self.assertStatus(asks, 0)
        self.assertEqual(asks.out, "0 0 16\n")
        # It launches as many blocks as can meet, and expects that one more is refused.
        self.assertPassed(self.guest(daemon, [workload("grid_sync")]))

    def test_bad_options(self):
        here = ["--directory", self.directory / "daemon"]
        self.refused([*here, "--policy", "fastest"], 2, "fastest", *POLICIES)
        self.refused([*here, "--policy", "fair:slice=2"], 2, "slice=2", "0s to 1s", "as in slice=2ms")
        self.refused([*here, "--memory", "lots"], 2, "--memory", "16M to 1T, such as 512M")
        self.refused([*here, "--memory", "1"], 2, "--memory")
        self.refused([*here, "--accelerator", "abacus"], 2, "software")
        self.refused([*here, "--tick", "0"], 2, "--tick", "1ms to 1s, such as 10ms")
        self.refused([*here, "--tick", "5"], 2, "--tick", "such as 10ms")
        self.refused([*here, "--frobnicate"], 2, "--frobnicate")

    def test_a_file_with_options(self):
        file = self.directory / "pegasusd.toml"

        def refused(text, *expected, words=()):
            file.write_text(text)
            self.refused(["--directory", self.directory / "daemon", "--config", file, *words], 2, *expected)

        refused('tick = "5ms"\npolcy = "rr"\n', f'{file}:2:1: there is no option "--polcy"; did you mean --policy?')
        refused("[x]\n", f'{file}:1:2: there is no option "--x"')
        refused('policy "rr"\n', f"{file}:1:8: ")
        refused("policy = rr\n", f"{file}:1:10: ")
        refused('tick = "5ms"\n\ntick = "6ms"\n', f"{file}:3:", "tick")
        refused('\ntick = "soon"\n', f"{file}:2:8: ", "--tick", "1ms to 1s")
        refused("tick = 5\n", f"{file}:1:8: ", "--tick", "such as 10ms")
        refused('tick = "1000s"\n', f"{file}:1:8: ", "--tick")
        refused("policy = 1979-05-27\n", f"{file}:1:10: policy must be a string, a number, true or false")
        refused('policy = "fastest"\n', f"{file}:1:10: ", "fastest", *POLICIES)
        refused('config = "other"\n', f"{file}:1:1: 'config' is for the command line only")
        file.write_text('tick = "5ms"\npolicy = "rr"\nno-xen = true\n')
        check = ["--config", file, "--check-config"]
        checked = self.start([BUILD / "bin" / "pegasusd", *check])
        self.assertStatus(checked, 0, within=10)
        self.assertEqual(checked.out, "the options are valid\n")
        refused('tick = "1000s"\n', "--tick", words=["--check-config"])
        rules = self.directory / "rules"
        rules.mkdir()
        (rules / "web.toml").write_text('[[guest]]\nname = "web"\ncredits = 0\n')
        refused("", f"--guest-rules: {rules}/web.toml:3:11: credits=0 is not valid", words=["--guest-rules", rules, "--check-config"])
        # What the command line has goes first, and is not the file's error.
        refused('tick = "5ms"\n', "pegasusd: --tick: ", words=["--tick", "0"])
        file.write_text('tick = "5ms"\npolicy = "rr"\n')
        daemon = self.start_daemon(policy="accc", options=["--config", file])
        self.assertEqual(daemon.ask("policy")["name"], "accc")
        self.assertEqual(daemon.ask("policy")["tunables"]["tick"]["value"], "5ms")

    def test_bad_directories(self):
        self.refused(["--directory", self.directory / "a" / "b"], 2, "cannot make the directory", "--directory")
        self.refused(["--directory", self.directory / ("x" * 120)], 2, "longer than", "--directory")
        (self.directory / "file").write_text("")
        self.refused(["--directory", self.directory / "file"], 2, "file")

    def test_a_socket_left_behind(self):
        first = self.start_daemon()
        first.kill()
        second = self.start_daemon()
        self.assertPassed(self.guest(second, [workload("vector_add")]))
        self.assertEqual(second.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
