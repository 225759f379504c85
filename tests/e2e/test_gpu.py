# SPDX-License-Identifier: Apache-2.0
"""The GPU backend (domA/device/cuda), without a GPU: the CUDA driver that it loads is our own libcuda.so.1, whose
device is another pegasusd's software accelerator, behind a library that needs of its host what NVIDIA's driver does.
What passes here passes through the driver API."""
import json
import os
import signal
import unittest
from pathlib import Path

import processes
from load import Load
from support import BUILD, EndToEndTest, as_the_service, python, workload
from test_workloads import PROGRAMS, VARIANTS
from waiting import wait_until

NEIGHBOURS = {"good1": [workload("throttle"), "--seconds", "1"], "good2": [workload("histogram")]}

OUR_DRIVER = BUILD / "lib" / "libcuda.so.1"
WRAPPED_DRIVER = BUILD / "lib" / "wrapped_driver" / "libwrapped_driver.so"
LEFTOVER = "0x9e3779b9"  # what the workload leftovers looks for


class Gpu(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.device = self.start_daemon(name="device", policy="none", options=["--accelerator", "software"])
        self.device.serve_everybody()

    def on_the_device(self, **more):
        """The environment of a process that uses the device below."""
        return dict(self.environment, PEGASUS_SOCKET=os.path.join(self.device.directory, "guest.sock"),
                    PEGASUS_DOMAIN="gpu", **more)

    def start_gpu_daemon(self, name="daemon", policy="accc", options=(), wrapped={}, under=(), driver=WRAPPED_DRIVER):
        """`wrapped`: how the driver misbehaves (tests/support/wrapped_driver)."""
        return self.start_daemon(name=name, policy=policy, under=under,
                                 environment=self.on_the_device(CUDA_WRAPPED_DRIVER=str(OUR_DRIVER), **wrapped),
                                 options=["--accelerator", "cuda", "--cuda-driver", driver, "--driver-files",
                                          f"{BUILD / 'lib'}:{self.device.directory}", *options])

    def check_all_is_given_back(self, daemon):
        daemon.wait_until_clean()
        wait_until(lambda: not self.device.tasks("gpu"), 10, "no context is left on the device")


@unittest.skipUnless(os.geteuid() == 0, "mounts need root")
class Found(EndToEndTest):
    """A machine with the device node of a GPU, and no driver for it."""

    WITH_A_NODE = """
        mount --make-rprivate /
        mount --rbind /dev "$1"
        mount -t tmpfs -o mode=755 tmpfs /dev
        for node in null zero full random urandom; do touch /dev/$node; mount --bind "$1/$node" /dev/$node; done
        touch /dev/nvidia0
        shift
        exec "$@"
        """

    def pegasusd(self, *options):
        (self.directory / "dev").mkdir(exist_ok=True)
        return self.start(["unshare", "--mount", "sh", "-ec", self.WITH_A_NODE, "sh", self.directory / "dev",
                           BUILD / "bin" / "pegasusd", "--directory", self.directory / "daemon", *options])

    def test_the_cpu_does_not_silently_take_its_place(self):
        program = self.pegasusd()
        self.assertStatus(program, 1)
        self.assertIn("an NVIDIA GPU is here (/dev/nvidia0), but it cannot be used", program.err)
        self.assertIn("--accelerator software", program.err)

    def test_a_gpu_that_was_named_is_not_the_cpu(self):
        program = self.start([BUILD / "bin" / "pegasusd", "--directory", self.directory / "daemon", "--gpu", "0"])
        self.assertStatus(program, 1)
        self.assertIn("the CUDA driver cannot be loaded", program.err)

    def test_the_cpu_is_used_if_that_is_asked_for(self):
        program = self.pegasusd("--accelerator", "software")
        wait_until(lambda: "ready at" in program.err or not program.runs(), 10, "it starts")
        self.assertTrue(program.runs(), program)


class Programs(Gpu):
    def test_all_workloads(self):
        daemon = self.start_gpu_daemon()
        self.assertEqual(daemon.ask("accelerators")["accelerators"][0]["kind"], "cuda")
        for name in (*PROGRAMS, *VARIANTS):
            with self.subTest(name):
                program = self.guest(daemon, [workload(name)])
                self.assertPassed(program)
                self.assertEqual(program.result()["workload"], VARIANTS.get(name, name))
        self.check_all_is_given_back(daemon)

    def test_what_a_change_of_context_costs_is_measured(self):
        def cost(**daemon):
            return self.start_gpu_daemon(**daemon).ask("accelerators")["accelerators"][0]["switch_cost_ns"]
        slow = cost(name="slow", wrapped={"CUDA_WRAPPED_SWITCH_US": "3000"})
        self.assertGreater(slow, 2_900_000)
        self.assertLess(cost(name="fast"), slow / 2)
        refused = {"CUDA_WRAPPED_ERROR": "719"}
        self.assertEqual(cost(name="unknown", wrapped=refused), 100_000)  # assumed

    def test_device_time_is_accounted_for(self):
        daemon = self.start_gpu_daemon(options=["--slice-us", "0"])
        for sync_every in ("1", "64"):
            before = self.device.domains()["gpu"]["device_busy_ns"] if "gpu" in self.device.domains() else 0
            domain = f"d{sync_every}"
            daemon.ask("set", "--create", domain, "credits=256")
            program = self.guest(daemon, [workload("throttle"), "--kernels", "200", "--rounds", "40000", "--sync-every",
                                          sync_every], domain=domain)
            self.assertPassed(program)
            wait_until(lambda: not self.device.tasks("gpu"), 10, "its context is gone")
            by_device = self.device.domains()["gpu"]["device_busy_ns"] - before
            by_us = daemon.domains()[domain]["device_busy_ns"]
            # No domain gets device time for nothing. Too much is charged where calls take as long as kernels to arrive, as
            # here on a busy machine; how close it is on a GPU, gpu-check says.
            self.assertGreater(by_us, 0.9 * by_device, f"sync every {sync_every}")
            self.assertLess(by_us, 2 * by_device, f"sync every {sync_every}")


class Compiling(Gpu):
    """Loading a module takes 3 s in the driver's compiler, longer than a call may keep others waiting."""

    def setUp(self):
        super().setUp()
        self.daemon = self.start_gpu_daemon(options=["--runaway-ms", "1000", "--slice-us", "0"],
                                            wrapped={"CUDA_WRAPPED_COMPILE_MS": "3000"})

    def calls_of(self, domain):
        return sum(task["calls"] for task in self.daemon.tasks(domain))

    def test_it_keeps_nobody_from_the_device(self):
        neighbour = self.guest(self.daemon, [workload("throttle"), "--seconds", "30"], domain="neighbour")
        wait_until(lambda: self.calls_of("neighbour") > 200, 20, "the neighbour computes")
        newcomer = self.guest(self.daemon, [workload("vector_add")], domain="newcomer")
        wait_until(lambda: self.daemon.tasks("newcomer"), 10, "the newcomer is there")
        seen = 0
        while newcomer.runs():
            before = self.calls_of("neighbour")
            wait_until(lambda: self.calls_of("neighbour") > before + 10 or not newcomer.runs(), 2,
                       "the neighbour goes on")
            seen += 1
        self.assertGreater(seen, 1)
        self.assertPassed(newcomer)
        neighbour.kill()


    def test_it_is_done_once_for_a_domain(self):
        daemon = self.start_gpu_daemon(name="patient", wrapped={"CUDA_WRAPPED_COMPILE_MS": "1"})

        def compilations(domain):
            before = daemon.log.count("wrapped driver: compiles")
            self.assertPassed(self.guest(daemon, [workload("scan")], domain=domain))  # has no machine code
            daemon.wait_until_gone(domain)
            return daemon.log.count("wrapped driver: compiles") - before

        first = compilations("kept")
        self.assertGreater(first, 1)
        self.assertEqual(compilations("kept"), 1)  # of the empty kernel, at a worker's start
        self.assertEqual(compilations("other"), first)

    def test_it_is_no_part_of_a_launch_that_is_split(self):
        daemon = self.start_gpu_daemon(name="splits", options=["--runaway-ms", "1000"],
                                       wrapped={"CUDA_WRAPPED_COMPILE_MS": "2000"})
        programs = [self.guest(daemon, [workload("throttle"), "--microseconds", "20000", "--blocks", "512", "--seconds", "6"],
                               domain=domain)
                    for domain in ("one", "other")]
        for program in programs:
            self.assertPassed(program)
        self.assertIn("is split into pieces", daemon.log)

    def test_it_may_not_take_forever(self):
        daemon = self.start_gpu_daemon(name="hurried", options=["--module-load-ms", "500"],
                                       wrapped={"CUDA_WRAPPED_COMPILE_MS": "3000"})
        program = self.guest(daemon, [workload("vector_add")])
        self.assertNotEqual(program.ended(), 0)
        wait_until(lambda: "takes more than 500 ms to load" in daemon.log, 5, "the log says why")


class Faults(Gpu):
    def test_a_fault_costs_its_own_task_alone(self):
        daemon = self.start_gpu_daemon()
        with Load(daemon, NEIGHBOURS):
            for name, error in (("illegal_address", "IllegalAddress"), ("assert_fail", "Assert")):
                program = self.guest(daemon, [workload(name)], domain="bad")
                self.assertPassed(program)
                self.assertIn(f"cudaError{error}", program.out)
                self.assertIn("device context is lost", program.err)
            self.assertPassed(self.guest(daemon, [workload("bad_launch"), "--rounds", "20"], domain="bad"))
        self.check_all_is_given_back(daemon)

    def test_a_kernel_without_end_is_killed_with_its_task(self):
        daemon = self.start_gpu_daemon(options=["--runaway-ms", "500"])
        with Load(daemon, NEIGHBOURS) as load:
            endless = self.guest(daemon, [workload("throttle"), "--rounds", 1 << 28, "--blocks", "4096"], domain="bad")
            self.assertGreater(endless.ended(within=30), 0, str(endless))
            self.assertIn("FAIL", endless.out)
            load.check()
        self.check_all_is_given_back(daemon)

    def test_a_lost_device_is_told_and_the_daemon_goes_on(self):
        daemon = self.start_gpu_daemon()
        program = self.guest(daemon, [workload("throttle"), "--seconds", "30"], domain="unlucky")
        daemon.wait_for_task("unlucky", calls=20)
        for worker in self.device.workers():
            os.kill(worker, signal.SIGKILL)
        self.assertGreater(program.ended(within=20), 0, str(program))
        self.assertRegex(program.out + program.err, r"cudaError\w+")
        self.assertTrue(daemon.alive())
        self.assertPassed(self.guest(daemon, [workload("vector_add")]))  # the device is back
        self.check_all_is_given_back(daemon)

    def test_an_error_of_the_device_keeps_its_number_and_costs_its_own_task_alone(self):
        for number, name in ((214, "cudaErrorECCUncorrectable"), (46, "cudaErrorDevicesUnavailable")):
            with self.subTest(name):
                daemon = self.start_gpu_daemon(name=name, options=["--slice-us", "0"], wrapped={  # its launches, whole
                    "CUDA_WRAPPED_ERROR": str(number), "CUDA_WRAPPED_ERROR_KERNEL": "saxpy", "CUDA_WRAPPED_ERROR_AT": "3"})
                with Load(daemon, NEIGHBOURS) as load:
                    program = self.guest(daemon, python("client_lost_gpu.py"), domain="bad")
                    self.assertStatus(program, 0)
                    first, later = program.out.splitlines()[:2]
                    self.assertEqual(first, f"after 3 launches: {number} {name}")
                    self.assertEqual({answer.split("=")[1] for answer in later.split()}, {str(number)}, later)
                    self.assertIn("device context is lost", program.err)
                    load.check()
                self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="bad"))
                self.check_all_is_given_back(daemon)


class Jail(Gpu):
    def test_every_thread_of_a_worker_is_locked_up(self):
        daemon = self.start_gpu_daemon()
        with Load(daemon, {"good": NEIGHBOURS["good1"]}):
            worker = daemon.wait_for_task("good", calls=20)["worker_pid"]
            self.assertJailed(daemon, worker)
            # The worker's own, the driver's, and that of its context.
            self.assertEqual([thread["Name"] for thread in processes.threads(worker)],
                             ["pegasus-avcpu", "cuda-EvtHandlr", "cuda-EvtHandlr"])
            # Of what is there at the top only what leads to files that the driver needs.
            tops = set(os.listdir(f"/proc/{worker}/root"))
            self.assertLessEqual(tops, {"dev", "proc", "sys", "lib", "lib64", "usr", "etc",
                                        *(Path(path).parts[1] for path in (BUILD, self.directory))})
            self.assertLessEqual(set(os.listdir(f"/proc/{worker}/root/etc")), {"alternatives", "ld.so.cache", "nvidia"})
            if not self.separation(daemon):
                self.assertSeesItselfAlone(worker)
        self.check_all_is_given_back(daemon)

    def assertSeesItselfAlone(self, worker):
        seen = [name for name in os.listdir(f"/proc/{worker}/root/proc") if name.isdigit()]
        self.assertEqual(seen, ["1"])

    def check_contexts(self, daemon):
        """A worker is locked up as far as the daemon says, and may make one context after the other."""
        with Load(daemon, {"good": NEIGHBOURS["good1"]}):
            worker = daemon.wait_for_task("good", calls=20)["worker_pid"]
            self.assertJailed(daemon, worker)
            if not self.separation(daemon):
                self.assertSeesItselfAlone(worker)
        self.assertStatus(self.guest(daemon, python("client_contexts.py")), 0)
        self.check_all_is_given_back(daemon)

    def test_a_driver_opens_files_without_landlock_too(self):
        daemon = self.start_gpu_daemon(under=python("without_landlock.py"))
        if any("no namespaces" in lack for lack in self.separation(daemon)):
            self.skipTest("workers have no root directory of their own")
        self.check_contexts(daemon)

    @unittest.skipUnless(os.geteuid() == 0, "only root may cover a part of /proc")
    def test_a_worker_has_a_proc_that_fits_where_a_part_is_covered(self):
        """As toolkits for containers do it. pegasusd needs the right to mount one; the service does not have it."""
        each_proc = "while read -r _ proc kind _; do [ $kind != proc ] || mount -t tmpfs covered $proc/driver || exit; done"
        cover = f'{each_proc} </proc/mounts; exec "$@"'
        covered = ["unshare", "--mount", "sh", "-c", cover, "sh"]
        without = "workers have no PID namespace of their own: they see processes"
        for name, limits, lacks in (("root", [], []), ("service", as_the_service(), [without])):
            with self.subTest(name):
                daemon = self.start_gpu_daemon(name=name, under=[*covered, *limits])
                self.assertEqual(self.separation(daemon), lacks)
                self.check_contexts(daemon)


    def test_a_driver_gets_what_each_new_context_needs(self):
        self.check_contexts(self.start_gpu_daemon())


class Compiler(Gpu):
    def test_a_driver_finds_its_compiler_beside_itself(self):
        self.assertPassed(self.guest(self.start_gpu_daemon(), [workload("vector_add")]))

    @unittest.skipUnless(os.geteuid() == 0, "only root may cover /etc/alternatives")
    def test_a_driver_is_found_behind_debians_alternatives(self):
        """Where its package is Debian's, libcuda.so.1 is a link into /etc/alternatives, and a link there leads to it."""
        link = self.directory / "lib" / "libcuda.so.1"
        link.parent.mkdir(mode=0o755)
        link.symlink_to("/etc/alternatives/libcuda.so.1")
        place = 'mount -t tmpfs -o mode=755 links /etc/alternatives && ln -s "$0" /etc/alternatives/libcuda.so.1 && exec "$@"'
        daemon = self.start_gpu_daemon(under=["unshare", "--mount", "sh", "-c", place, WRAPPED_DRIVER], driver=link)
        self.assertPassed(self.guest(daemon, [workload("vector_add")]))

    def test_a_driver_without_a_compiler_is_told_at_once(self):
        daemon = self.start_gpu_daemon(wrapped={"CUDA_WRAPPED_COMPILER": "libnowhere.so.1"})
        program = self.guest(daemon, [workload("vector_add")])
        self.assertGreater(program.ended(within=30), 0, str(program))
        self.assertIn("the CUDA driver cannot compile PTX: CUDA_ERROR_JIT_COMPILER_NOT_FOUND", daemon.log)
        self.assertIn("exited with status 69", daemon.log)
        self.check_all_is_given_back(daemon)


class Confinement(Gpu):
    """The rungs below the whole jail, with which an operator finds out what a driver lacks there."""

    def program_under(self, level, **wrapped):
        daemon = self.start_gpu_daemon(name=level, options=["--confine", level], wrapped=wrapped)
        self.assertPassed(self.guest(daemon, [workload("vector_add")]))
        return daemon

    def test_every_rung_runs_a_program(self):
        self.assertIn("workers are not confined at all", self.program_under("none").log)
        self.assertIn("workers have no sandbox", self.program_under("jail").log)
        self.assertNotIn("workers have no sandbox", self.program_under("all").log)

    def test_refused_system_calls_are_named(self):
        named = "the sandbox refuses system call getpgid"
        self.assertIn(named, self.program_under("trace", CUDA_WRAPPED_PROBES="1").log)
        self.assertNotIn(named, self.program_under("all", CUDA_WRAPPED_PROBES="1").log)

    def test_only_a_private_daemon_may_confine_less(self):
        program = self.start([BUILD / "bin" / "pegasusd", "--directory", self.directory / "shared", "--confine", "jail"])
        self.assertStatus(program, 2)
        self.assertIn("--private", program.err)


class Memory(Gpu):
    def test_a_share_holds_and_is_what_a_program_sees(self):
        daemon = self.start_gpu_daemon()
        daemon.ask("set", "--create", "small", "memory=64M")
        program = self.guest(daemon, [workload("memory_hog"), "--at-most-mib", 64, "--at-least-mib", 56],
                             domain="small")
        self.assertPassed(program)
        self.assertIn("of 64 MiB", program.out)
        self.assertPassed(self.guest(daemon, [workload("memory_hog"), "--at-least-mib", "128"], domain="large"))
        self.check_all_is_given_back(daemon)

    def test_a_program_without_room_for_a_context_is_refused(self):
        daemon = self.start_gpu_daemon(wrapped={"CUDA_WRAPPED_CONTEXT_MIB": "100"})
        self.assertRegex(daemon.ctl("set", "--create", "small", "memory=64M").stderr, "less than a program's context takes")
        daemon.ask("set", "--create", "one", "memory=160M")
        first = self.guest(daemon, [workload("throttle"), "--seconds", "5"], domain="one")
        daemon.wait_for_task("one", calls=20)
        second = self.guest(daemon, [workload("vector_add")], domain="one")
        self.assertGreater(second.ended(), 0)
        why = r"domain one has \d\dM of accelerator memory left, and a context on this GPU takes 100M: end one"
        self.assertRegex(second.err, why)
        self.assertRegex(daemon.ctl("accelerators", "--why").stdout, why)
        self.assertPassed(first)
        daemon.wait_until_gone("one")
        self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="one"))
        self.check_all_is_given_back(daemon)
        small = self.start_gpu_daemon(name="small", options=["--memory", "64M"],
                                      wrapped={"CUDA_WRAPPED_CONTEXT_MIB": "100"})
        program = self.guest(small, [workload("vector_add")])
        self.assertGreater(program.ended(), 0)
        self.assertIn("share of 64M of accelerator memory is smaller than a context on this GPU (100M)", program.err)

    def test_a_call_buffer_that_cannot_be_pinned_is_told(self):
        for name, wrapped, pageable in (("pinned", {}, 0), ("unpinned", {"CUDA_WRAPPED_UNPINNED": "1"}, 1)):
            daemon = self.start_gpu_daemon(name=name, wrapped=wrapped)
            program = self.guest(daemon, [workload("throttle"), "--seconds", "1"], domain="d")
            daemon.wait_for_task("d", calls=20)
            self.assertEqual(daemon.ask("accelerators")["accelerators"][0]["pageable_tasks"], pageable)
            self.assertPassed(program)
            daemon.wait_until_gone("d")
            line = r"task \d+: pegasus-avcpu: the call buffer of \d+ KiB cannot be pinned.*CUDA_ERROR_NOT_PERMITTED"
            (self.assertRegex if pageable else self.assertNotRegex)(daemon.log, line)

    def test_modules_and_limits_are_charged(self):
        daemon = self.start_gpu_daemon()
        daemon.ask("set", "--create", "small", "memory=32M")
        program = self.guest(daemon, python("client_reserves.py"), domain="small")
        self.assertStatus(program, 0)
        said = dict(line.rsplit(" ", 1) for line in program.out.splitlines())
        out_of_memory, invalid_value, unsupported = "2", "1", "215"
        self.assertEqual(said, {
            "module of 16 MiB": "0", "module of 512 MiB": out_of_memory, "another of 16 MiB": out_of_memory,
            "unloaded": "0", "that of 16 MiB": "0", "heap of 256 MiB": out_of_memory, "heap of 9 MiB": "0",
            "stack of 1 GiB": invalid_value, "pending launches": unsupported, "persisting L2": "0"})  # of which there is none
        self.check_all_is_given_back(daemon)

    def found(self, program):
        self.assertStatus(program, 0)
        return program.out.splitlines()[0]

    def test_fresh_memory_is_clean_whatever_the_driver_hands_out(self):
        full = {"CUDA_WRAPPED_FILL": LEFTOVER}
        daemon = self.start_gpu_daemon(wrapped=full)
        look = python("client_fresh_memory.py", LEFTOVER)
        self.assertEqual(self.found(self.guest(daemon, look)), "found 0 of 1048576")
        self.assertPassed(self.guest(daemon, [workload("leftovers"), "--mib", "64", "--leave", "0"]))
        self.check_all_is_given_back(daemon)
        # And it would be found: the same program on the same driver, with nothing between.
        direct = self.start([*look, WRAPPED_DRIVER], environment=self.on_the_device(
            CUDA_WRAPPED_DRIVER=str(OUR_DRIVER), **full))
        self.assertEqual(self.found(direct), "found 1048576 of 1048576")

    def test_what_another_program_had_is_not_readable(self):
        daemon = self.start_gpu_daemon(options=["--memory", "256M"])
        for name in ("first", "second"):
            daemon.ask("set", "--create", name, "memory=256M")
        self.assertPassed(self.guest(daemon, [workload("leftovers"), "--mib", 192, "--look", 0], domain="first"))
        self.check_all_is_given_back(daemon)
        self.assertPassed(self.guest(daemon, [workload("leftovers"), "--mib", 192, "--leave", 0], domain="second"))


class Clusters(Gpu):
    """Features of newer devices, up to the driver: the device behind it has none of them."""

    def answers(self, daemon):
        program = self.guest(daemon, python("client_clusters.py"))
        self.assertStatus(program, 0)
        return dict(line.split(": ", 1) for line in program.out.splitlines())

    def test_attributes_of_launches_and_tensor_maps_reach_the_driver(self):
        daemon = self.start_gpu_daemon(wrapped={"CUDA_WRAPPED_CLUSTERS": "1"})
        self.assertEqual(self.answers(daemon), {
            "driver's launch": "0", "runtime's launch": "0", "result": "right", "odd cluster": "912",
            "active clusters": "0 11", "largest cluster": "0 8", "tensor map": "0 0x700000001000 5",
            "other address": "0 0x700000002000 5", "rank 6": "1"})
        launches = [line for line in daemon.log.splitlines() if "launched with" in line]
        self.assertEqual([line.split("launched with ")[1] for line in launches], ["4=2,1,1 8=-3 6", "4=4,1,1"])
        self.check_all_is_given_back(daemon)

    def test_a_device_without_them_refuses(self):
        daemon = self.start_gpu_daemon()
        self.assertEqual(self.answers(daemon), {
            "driver's launch": "912", "runtime's launch": "912", "result": "untouched", "odd cluster": "912",
            "active clusters": "801 0", "largest cluster": "801 0", "tensor map": "801 0x0 0",
            "other address": "801 0x0 0", "rank 6": "801"})
        self.check_all_is_given_back(daemon)


class SeveralGpus(Gpu):
    def start_two(self, options=("--gpu", "0,1"), **more):
        return self.start_gpu_daemon(options=options, wrapped={"CUDA_WRAPPED_GPUS": "2", **more})

    def sees(self, daemon, domain):
        """How many GPUs a program in this domain sees, and the first one's number and UUID."""
        program = self.guest(daemon, python("client_device.py"), domain=domain)
        self.assertStatus(program, 0)
        seen = json.loads(program.out)
        return seen["count"], seen["name"][-2:], seen["uuid"]

    def test_they_are_listed_and_the_first_is_the_private_default(self):
        names = [one["name"][-2:] for one in self.start_two().ask("accelerators")["accelerators"]]
        self.assertEqual(names, ["#0", "#1"])
        only, = self.start_gpu_daemon(name="private", wrapped={"CUDA_WRAPPED_GPUS": "2"}).ask(
            "accelerators")["accelerators"]
        self.assertEqual(only["name"][-2:], "#0")

    def test_a_domain_has_one_and_its_workers_see_no_other(self):
        daemon = self.start_two()
        for name, number in (("first", 0), ("second", 1)):
            daemon.ask("set", "--create", name, f"accelerator={number}")
        first, second = self.sees(daemon, "first"), self.sees(daemon, "second")
        self.assertEqual((first[:2], second[:2]), ((1, "#0"), (1, "#1")))
        self.assertNotEqual(first[2], second[2])
        with Load(daemon, {"first": NEIGHBOURS["good1"], "second": NEIGHBOURS["good1"]}):
            for name, seen in (("first", first), ("second", second)):
                worker = daemon.wait_for_task(name)["worker_pid"]
                environment = Path(f"/proc/{worker}/environ").read_text().split("\0")
                self.assertIn(f"CUDA_VISIBLE_DEVICES=GPU-{seen[2]}", environment)
        self.check_all_is_given_back(daemon)

    def test_programs_verify_on_both(self):
        daemon = self.start_two()
        with Load(daemon, {name: [workload("histogram")] for name in ("a", "b", "c")}):
            wait_until(lambda: {d["accelerator"] for d in daemon.domains().values()} == {0, 1}, 30, "both are used")
        self.check_all_is_given_back(daemon)

    def test_new_domains_avoid_one_that_gives_no_context(self):
        dead = Path(self.device.directory) / "dead"  # a file that workers see
        daemon = self.start_two(CUDA_WRAPPED_DEAD=f"0:{dead}")
        dead.touch()
        program = self.guest(daemon, [workload("vector_add")], domain="unlucky")
        self.assertGreater(program.ended(within=30), 0, str(program))
        self.assertIn("exited with status 69", daemon.log)
        self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="unlucky"))
        self.assertEqual(daemon.domains()["unlucky"]["accelerator"], 1)
        self.check_all_is_given_back(daemon)

    def test_one_that_is_not_there_is_refused_at_the_start(self):
        with self.assertRaisesRegex(AssertionError, "there is no GPU 2: .* has 2"):
            self.start_two(options=["--gpu", "0,2"])


class Slicing(Gpu):
    def splits(self, slice_us, neighbours):
        """Whether long kernels were split. They verify: the chain's end depends on every block."""
        daemon = self.start_gpu_daemon(name=f"slice{slice_us}-{len(neighbours)}", options=["--slice-us", slice_us])
        long = [workload("throttle"), "--kernels", "40", "--blocks", "64", "--rounds", "20000", "--sync-every", "1"]
        with Load(daemon, neighbours) as load:
            self.assertPassed(self.guest(daemon, long, domain="long"))
            load.check()
        self.check_all_is_given_back(daemon)
        self.assertNotIn("not split", daemon.log)
        return "is split into pieces" in daemon.log

    def test_a_long_kernel_is_split_and_right_while_others_wait(self):
        self.assertTrue(self.splits("1000", NEIGHBOURS))
        self.assertFalse(self.splits("0", NEIGHBOURS))

    def test_nothing_is_compiled_for_a_program_that_is_alone(self):
        self.assertFalse(self.splits("1000", {}))


if __name__ == "__main__":
    unittest.main()
