# SPDX-License-Identifier: Apache-2.0
"""Programs on the GPU backend (gpu.py): results, faults, memory, several GPUs, long kernels."""
import json
import os
import signal
import unittest
from pathlib import Path

from gpu import NEIGHBOURS, OUR_DRIVER, WRAPPED_DRIVER, Gpu
from load import Load
from support import python, workload
from waiting import wait_until
from workloads import PROGRAMS, SHARES_MEMORY, VARIANTS

LEFTOVER = "0x9e3779b9"  # what the workload leftovers looks for


class Programs(Gpu):
    def test_all_workloads(self):
        daemon = self.start_gpu_daemon()
        self.assertEqual(daemon.ask("accelerators")["accelerators"][0]["kind"], "cuda")
        for name in {*PROGRAMS, *VARIANTS} - {SHARES_MEMORY}:
            with self.subTest(name):
                program = self.guest(daemon, [workload(name)])
                self.assertPassed(program)
                self.assertEqual(program.result()["workload"], VARIANTS.get(name, name))
        self.check_all_is_given_back(daemon)

    def test_a_program_that_shares_memory_with_kernels_is_told_that_it_cannot(self):
        program = self.guest(self.start_gpu_daemon(), [workload(SHARES_MEMORY)])
        self.assertStatus(program, 1)
        self.assertIn("cudaErrorNotSupported", program.out)
        self.assertIn("managed memory is not available here; use cuMemAlloc (cudaMalloc) and copies", program.err)

    def test_what_a_change_of_context_costs_is_measured(self):
        def cost(**daemon):
            return self.start_gpu_daemon(**daemon).ask("accelerators")["accelerators"][0]["switch_cost_ns"]
        slow = cost(name="slow", wrapped={"CUDA_WRAPPED_SWITCH_US": "3000"})
        self.assertGreater(slow, 2_900_000)
        self.assertLess(cost(name="fast"), slow / 2)
        refused = {"CUDA_WRAPPED_ERROR": "719"}
        self.assertEqual(cost(name="unknown", wrapped=refused), 100_000)  # assumed

    def test_device_time_is_accounted_for(self):
        daemon = self.start_gpu_daemon(options=["--slice", "0"])
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
        daemon = self.start_gpu_daemon(options=["--runaway", "500ms"])
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
                daemon = self.start_gpu_daemon(name=name, options=["--slice", "0"], wrapped={  # its launches, whole
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
        launches = lambda: [line.split("launched with ")[1] for line in daemon.log.splitlines() if "launched with" in line]
        wait_until(lambda: len(launches()) == 2, 10, lambda: f"pegasusd has read both lines: {daemon.log}")
        self.assertEqual(launches(), ["4=2,1,1 8=-3 6", "4=4,1,1"])
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
        daemon = self.start_gpu_daemon(name=f"slice{slice_us}-{len(neighbours)}", options=["--slice", f"{slice_us}us"])
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
