# SPDX-License-Identifier: Apache-2.0
"""What a GPU's driver needs of its host (gpu.py): to be found, files and calls within the jail, a compiler and its time."""
import os
import unittest
from pathlib import Path

import processes
from gpu import NEIGHBOURS, WRAPPED_DRIVER, Gpu
from load import Load
from support import BUILD, EndToEndTest, as_the_service, python, workload
from waiting import wait_until


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
        self.assertIn("there is an NVIDIA GPU (/dev/nvidia0), but it cannot be used", program.err)
        self.assertIn("--accelerator software", program.err)

    def test_a_gpu_that_was_named_is_not_the_cpu(self):
        program = self.start([BUILD / "bin" / "pegasusd", "--directory", self.directory / "daemon", "--gpu", "0"])
        self.assertStatus(program, 1)
        self.assertIn("the CUDA driver cannot be loaded", program.err)

    def test_the_cpu_is_used_if_that_is_asked_for(self):
        program = self.pegasusd("--accelerator", "software")
        wait_until(lambda: "ready at" in program.err or not program.runs(), 10, "it starts")
        self.assertTrue(program.runs(), program)

OPEN_NODES = ("users can open the GPU themselves, without shares or limits: its device nodes are open to everybody "
              "(docs/operators/hardening.md)")


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
        for name, limits, lacks in (("root", [], []), ("service", as_the_service(self.directory), [without])):
            with self.subTest(name):
                daemon = self.start_gpu_daemon(name=name, under=[*covered, *limits])
                self.assertEqual(self.separation(daemon), lacks)
                self.check_contexts(daemon)

    @unittest.skipUnless(os.geteuid() == 0, "only root may make device nodes and give them to a group")
    def test_device_nodes_of_a_group_are_open_to_workers_alone(self):
        group = 4242
        makes_nodes = ('set -e; dev=$(mktemp -d); mount -t tmpfs dev "$dev"; mkdir "$dev/shm"; '
                       'cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom "$dev"; '
                       'for node in nvidia0 nvidiactl nvidia-uvm; do mknod -m $MODE "$dev/$node" c 1 3; '
                       f'chgrp {group} "$dev/$node"; done; mount --move "$dev" /dev; exec "$@"')
        for mode, lacks in (("666", [OPEN_NODES]), ("660", [])):
            with self.subTest(mode):
                daemon = self.start_gpu_daemon(
                    name=f"nodes{mode}", under=["unshare", "--mount", "env", f"MODE={mode}", "sh", "-c", makes_nodes, "sh"],
                    wrapped={"CUDA_WRAPPED_NODE": "/dev/nvidia0"})
                self.assertEqual(self.separation(daemon), lacks)
                self.check_contexts(daemon)

    @unittest.skipUnless(os.geteuid() == 0, "only root's rights can be taken away")
    def test_the_service_has_what_a_driver_needs(self):
        daemon = self.start_gpu_daemon(under=as_the_service(self.directory))
        self.assertEqual(self.separation(daemon), [])
        self.check_contexts(daemon)

    def test_a_driver_gets_what_each_new_context_needs(self):
        self.check_contexts(self.start_gpu_daemon())


class Mapping(Gpu):
    def test_a_program_maps_the_gpus_memory_itself(self):
        daemon = self.start_gpu_daemon()
        self.assertPassed(self.guest(daemon, [workload("expandable")]))
        self.check_all_is_given_back(daemon)


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


class Compiling(Gpu):
    """Loading a module takes 3 s in the driver's compiler, longer than a call may keep others waiting."""

    def setUp(self):
        super().setUp()
        self.daemon = self.start_gpu_daemon(options=["--runaway", "1000ms", "--slice", "0"],
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
        daemon = self.start_gpu_daemon(name="splits", options=["--runaway", "1000ms"],
                                       wrapped={"CUDA_WRAPPED_COMPILE_MS": "2000"})
        programs = [self.guest(daemon, [workload("throttle"), "--microseconds", "20000", "--blocks", "512", "--seconds", "6"],
                               domain=domain)
                    for domain in ("one", "other")]
        for program in programs:
            self.assertPassed(program)
        self.assertIn("is split into pieces", daemon.log)

    def test_it_may_not_take_forever(self):
        daemon = self.start_gpu_daemon(name="hurried", options=["--module-load", "500ms"],
                                       wrapped={"CUDA_WRAPPED_COMPILE_MS": "3000"})
        program = self.guest(daemon, [workload("vector_add")])
        self.assertNotEqual(program.ended(), 0)
        wait_until(lambda: "takes more than 500 ms to load" in daemon.log, 5, "the log says why")


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


if __name__ == "__main__":
    unittest.main()
