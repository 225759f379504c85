# SPDX-License-Identifier: Apache-2.0
"""`pegasus run`: the program is untouched, what cannot be run is refused in one sentence, nothing is left behind."""
import os
import signal
import subprocess
import unittest

import processes
from support import BUILD, PEGASUS, SYSTEM_DAEMON, EndToEndTest, python, workload
from waiting import wait_until


class Untouched(EndToEndTest):
    """The program's own end, output and input, with a private daemon and with one that is joined."""

    def both_ways(self, command, **how):
        self.daemon = getattr(self, "daemon", None) or self.start_daemon()
        daemon = self.daemon
        yield self.run_privately(*command, **how)
        program = self.guest(daemon, command, **how)
        program.ended()
        yield program

    def test_exit_status(self):
        for program in self.both_ways(["sh", "-c", "exit 7"]):
            self.assertStatus(program, 7)

    def test_output(self):
        for program in self.both_ways(["printf", r"a\0b\n\377"]):
            self.assertEqual(program.out_bytes, b"a\0b\n\xff")
            self.assertEqual(program.err_bytes, b"")
        for program in self.both_ways(["sh", "-c", "printf 'e\\377' >&2"]):
            self.assertEqual(program.out_bytes, b"")
            self.assertEqual(program.err_bytes, b"e\xff")

    def test_input(self):
        reader, writer = subprocess.PIPE, b"in\0put"
        program = self.start([PEGASUS, "run", "--private", "--", "cat"], stdin=reader)
        program.popen.stdin.write(writer)
        program.popen.stdin.close()
        self.assertStatus(program, 0)
        self.assertEqual(program.out_bytes, writer)

    def test_arguments(self):
        words = ["--domain", "", "a b", "--", "-h", "--json"]
        for program in self.both_ways(["printf", "[%s]", *words]):
            self.assertEqual(program.out, "".join(f"[{word}]" for word in words))

    def test_a_workload_says_the_same_as_without_pegasus(self):
        toolkit_or_ours = dict(self.environment, LD_LIBRARY_PATH=str(BUILD / "lib"))
        direct = self.start([workload("vector_add"), "--bogus"], environment=toolkit_or_ours)
        self.assertStatus(direct, 2)
        for program in self.both_ways([workload("vector_add"), "--bogus"]):
            self.assertStatus(program, 2)
            self.assertEqual((program.out, program.err), (direct.out, direct.err))

    def test_death_by_signal(self):
        for program in self.both_ways(["sh", "-c", "kill -TERM $$"]):
            self.assertStatus(program, -signal.SIGTERM)
        shell = self.start(["sh", "-c", '"$0" run --private -- sh -c "kill -KILL \\$\\$"; echo $?', PEGASUS])
        self.assertStatus(shell, 0)
        self.assertIn("137", shell.out)

    def test_under_a_shell(self):
        command = ["sh", "-c", '"$0" --elements 1000 | cat', workload("vector_add")]
        for program in self.both_ways(command):
            self.assertStatus(program, 0)
            self.assertTrue(program.passed(), str(program))

    def test_two_programs_of_one_shell(self):
        command = ["sh", "-c", '"$0" >/dev/null && "$1"', workload("vector_add"), workload("scan")]
        for program in self.both_ways(command):
            self.assertPassed(program)


class Refused(EndToEndTest):
    def refused(self, command, status, *words, options=()):
        program = self.run_privately(*command, options=options)
        self.assertStatus(program, status)
        self.assertEqual(program.out, "")
        self.assertOneSentence(program, *words)

    def test_devices_that_the_program_hides(self):
        for devices, shown in (("", False), ("-1", False), ("1,0", False), ("0,1", True), ("GPU-", False)):
            with self.subTest(devices):
                program = self.run_privately(workload("vector_add"), environment={**self.environment, "CUDA_VISIBLE_DEVICES": devices})
                self.assertEqual(program.passed(), shown, str(program))
                self.assertEqual("CUDA_VISIBLE_DEVICES hides the accelerator" in program.err, not shown, program.err)

    def test_a_library_with_thread_locals(self):
        library, program = self.directory / "libthreads.so", self.directory / "threads"
        (self.directory / "library.c").write_text(
            '__thread char b[4096] __attribute__((tls_model("initial-exec")));\nint use(void) { return b[4095]; }\n')
        (self.directory / "program.c").write_text(
            "#include <limits.h>\n#include <pthread.h>\nint use(void);\nstatic void *f(void *p) { return p; }\n"
            "int main(void) { pthread_attr_t a; pthread_t t; pthread_attr_init(&a);\n"
            "return use() || pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN) || pthread_create(&t, &a, f, 0) || pthread_join(t, 0); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, self.directory / "library.c"], check=True)
        subprocess.run(["cc", "-o", program, self.directory / "program.c", library], check=True)
        self.assertStatus(self.run_privately(program), 0)

    def test_a_program_that_closes_all_files(self):
        program = self.run_privately(*python("client_closes.py"))
        self.assertStatus(program, 0)
        self.assertEqual(program.out, "46\n")
        self.assertOneSentence(program, "this program closed its connection to the accelerator daemon")

    def test_no_such_program(self):
        self.refused(["no-such-program"], 127, "no-such-program")
        self.refused(["./no/such"], 127, "./no/such")

    def test_not_executable(self):
        plain = self.directory / "plain"
        plain.write_text("text")
        self.refused([plain], 126, "plain")
        self.refused([self.directory], 126, "cannot be executed")

    def test_nothing_to_run(self):
        program = self.start([PEGASUS, "run"])
        self.assertStatus(program, 2)
        self.assertEqual(program.err.splitlines(), ["pegasus: there is nothing to run", "Usage: pegasus run [OPTION...] -- PROGRAM [ARGUMENT...]",
                                                    "`pegasus run --help` says more."])

    def test_bad_domain(self):
        self.refused(["true"], 2, "../up", "letters, digits", options=["--domain", "../up"])

    def bad_option(self, *options):
        program = self.run_privately("true", options=options)
        self.assertStatus(program, 2)
        self.assertEqual(program.out, "")
        return program.err

    def test_bad_options_of_the_private_daemon(self):
        self.assertIn("auto, cuda, software", self.bad_option("--accelerator", "abacus"))
        self.assertIn("fastest", self.bad_option("--policy", "fastest"))

    def test_bad_credits(self):
        for value in ("0", "65536", "-1", "many", "", "1.5", "1e3", "99999999999999999999"):
            with self.subTest(value):
                self.assertIn("1 to 65535", self.bad_option("--credits", value))

    def test_bad_memory(self):
        for value in ("-1", "lots", "64X", "1.2.3", "99999999999999999999G"):
            with self.subTest(value):
                self.assertIn("memory", self.bad_option("--memory", value).lower())

    def test_more_memory_than_there_is(self):
        program = self.run_privately("true", options=["--memory", "1024G"])
        self.assertStatus(program, 2)
        self.assertOneSentence(program, "memory", "more than the largest accelerator has")

    def test_no_usable_ptx(self):
        program = self.run_privately(workload("vector_add_no_ptx"))
        self.assertStatus(program, 1)
        self.assertIn("no kernel image", program.out.lower().replace("nokernelimage", "no kernel image"))
        self.assertOneSentence(program, "compute_75", "nvcc -gencode")


class Domains(EndToEndTest):
    def test_joins_the_running_daemon(self):
        daemon = self.start_daemon()
        program = self.guest(daemon, [workload("throttle"), "--seconds", "60"], domain="mine",
                             options=["--credits", "77", "--memory", "64M"])
        task = daemon.wait_for_task("mine")
        self.assertEqual(task["pid"], program.pid)
        self.assertEqual(task["program"], "throttle")
        domain = daemon.domains()["mine"]
        self.assertEqual((domain["credits"], domain["memory_limit_bytes"]), (77, 64 << 20))
        program.kill()
        daemon.wait_until_clean()

    def test_options_last_as_long_as_the_domains_last_task(self):
        daemon = self.start_daemon()

        def run(*options):
            self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="mine", options=options))
            wait_until(lambda: not daemon.tasks("mine"), 20, "the end of the task")
            domain = daemon.domains()["mine"]
            return domain["credits"], domain["memory_limited"]

        self.assertEqual(run("--credits", "77", "--memory", "64M"), (256, False))
        self.assertEqual(daemon.ctl("set", "mine", "credits=99").returncode, 0)
        self.assertEqual(run("--credits", "77"), (99, False))
        throttle = self.guest(daemon, [workload("throttle"), "--seconds", "60"], domain="mine", options=["--credits", "77"])
        daemon.wait_for_task("mine")
        self.assertEqual(daemon.ctl("set", "mine", "memory=128M").returncode, 0)  # stays, also while the options hold
        self.assertEqual((daemon.domains()["mine"]["credits"], daemon.domains()["mine"]["memory_limit_bytes"]), (77, 128 << 20))
        throttle.kill()
        daemon.wait_until_clean()
        self.assertEqual((daemon.domains()["mine"]["credits"], daemon.domains()["mine"]["memory_limit_bytes"]), (99, 128 << 20))

    def test_who_changes_the_settings_of_programs_that_run_is_told(self):
        daemon = self.start_daemon()
        first = self.guest(daemon, [workload("throttle"), "--seconds", "60"], domain="ours", options=["--credits", "77"])
        daemon.wait_for_task("ours")
        for credits, said in (("77", False), ("7", True), ("7", False)):
            wait_until(lambda: len(daemon.tasks("ours")) == 1, 20, "the end of all programs but the first")
            second = self.guest(daemon, [workload("vector_add")], domain="ours", options=["--credits", credits])
            self.assertPassed(second)
            notice = "pegasus: domain ours had other settings and 1 program running: the new ones apply to all its programs"
            self.assertEqual(notice in second.err, said, str(second))
        self.assertNotIn("other settings", first.err)

    def test_finds_the_users_daemon(self):
        daemon = self.start_daemon(name="run/pegasus")  # $XDG_RUNTIME_DIR/pegasus
        program = self.start([PEGASUS, "run", "--domain", "found", "--", workload("vector_add")])
        self.assertPassed(program)
        self.assertIn("found", daemon.domains())

    def test_several_runs_in_one_domain(self):
        daemon = self.start_daemon()
        programs = [self.guest(daemon, [workload("throttle"), "--seconds", "1.5"], domain="shared")
                    for _ in range(3)]
        wait_until(lambda: len(daemon.tasks("shared")) == 3, 20, "three tasks of one domain")
        self.assertEqual(list(daemon.domains()), ["shared"])
        for program in programs:
            self.assertPassed(program)
        daemon.wait_until_clean()

    def test_the_domains_default_name_is_the_programs(self):
        daemon = self.start_daemon()
        self.assertPassed(self.guest(daemon, [workload("vector_add")]))
        self.assertEqual(list(daemon.domains()), ["vector_add"])

    def test_without_pegasus_run(self):
        daemon = self.start_daemon()
        program = self.start([workload("vector_add")], environment=daemon.environment_of_guest())
        self.assertPassed(program)
        self.assertEqual(list(daemon.domains()), ["default"])

    def test_no_daemon(self):
        for socket in (self.runtime / "none.sock", "/" + "x" * 200):
            environment = dict(self.environment, LD_LIBRARY_PATH=str(BUILD / "lib"), PEGASUS_SOCKET=str(socket))
            program = self.start([workload("vector_add")], environment=environment)
            self.assertStatus(program, 1, within=2)
            self.assertOneSentence(program, "pegasus")
        self.assertIn("PEGASUS_SOCKET", program.err)

    def test_a_socket_without_permission(self):
        daemon = self.start_daemon()
        os.chmod(os.path.join(daemon.directory, "guest.sock"), 0)
        # Root, too, has no more than the mode allows once it has no capabilities.
        program = self.start(["setpriv", "--bounding-set=-all", "--inh-caps=-all", workload("vector_add")],
                             environment=daemon.environment_of_guest())
        self.assertStatus(program, 1, within=2)
        self.assertOneSentence(program, "no permission", "guest.sock")

    def test_the_daemon_named_is_not_there(self):
        program = self.start([PEGASUS, "run", "--daemon", self.runtime / "none", "--", "true"])
        self.assertStatus(program, 125, within=2)
        self.assertOneSentence(program, "no pegasusd is running", "--daemon")


class NothingIsLeft(EndToEndTest):
    def nothing_left(self):
        def look():
            return not list(self.runtime.iterdir()) and not processes.mentioning(str(self.runtime))
        wait_until(look, 10, lambda: f"left: {list(self.runtime.iterdir())}, processes "
                                     f"{[processes.command_line(p) for p in processes.mentioning(str(self.runtime))]}")

    @unittest.skipIf(SYSTEM_DAEMON.exists(), "this machine runs a pegasusd of its own, which would be joined")
    def test_the_private_daemon_goes_with_the_program(self):
        self.assertPassed(self.start([PEGASUS, "run", "--", workload("vector_add")]))
        self.nothing_left()

    def test_after_a_failure(self):
        self.assertStatus(self.run_privately("sh", "-c", "exit 3"), 3)
        self.nothing_left()

    def start_throttle(self):
        program = self.start([PEGASUS, "run", "--private", "--", workload("throttle"), "--seconds", "60"])
        wait_until(lambda: "rounds a kernel" in program.out, 30, "throttle begins")
        return program

    def test_after_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                program = self.start_throttle()
                program.send(number)
                self.assertStatus(program, -number, within=10)
                self.nothing_left()

    def test_after_kill(self):
        program = self.start_throttle()
        program.send(signal.SIGKILL)
        self.assertStatus(program, -signal.SIGKILL, within=10)
        self.nothing_left()

    def test_a_python_program_that_waits(self):
        program = self.start([PEGASUS, "run", "--private", "--", *python("client_idle.py")], stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in program.out, 30, "the client is ready")
        program.popen.stdin.close()
        self.assertStatus(program, 0, within=10)
        self.nothing_left()


if __name__ == "__main__":
    unittest.main()
