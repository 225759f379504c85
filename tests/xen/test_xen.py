# SPDX-License-Identifier: Apache-2.0
"""Scenarios on the test machine: a real Xen, Debian's own or with the patch series, a real Dom0, real guests, in QEMU.

Needs build/ (ci/build), xen-patches/build and tests/xen/machine/images. PEGASUS_XEN_SERIES=RELEASE: what these made with
`--series RELEASE` (ci/build: `--xen RELEASE`) instead. PEGASUS_XEN_PATCHED=1: what is measured on Debian's own Xen is measured
on the patched one."""
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SERIES = os.environ.get("PEGASUS_XEN_SERIES", "")
# Debian's own hypervisor, unless the patched one is what is to be measured.
STOCK = () if SERIES or os.environ.get("PEGASUS_XEN_PATCHED") else ("--stock",)
LOGS = ROOT / "build-xen" / SERIES / "logs"


class XenTest(unittest.TestCase):
    def boot(self, scenario, *options, typed=None, **given):
        """Runs a scenario to its end; its files, with what it is given in them, and what the machine printed.
        `typed`: (prompt, text): the text is typed at the console when the prompt was printed there."""
        options = (*(("--series", SERIES) if SERIES else ()), *options)
        share = Path(tempfile.mkdtemp(prefix="pegasus-xen-"))
        for name, text in given.items():
            (share / name).write_text(f"{text}\n")
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / f"{scenario}.log"
        began = time.monotonic()
        with open(log, "wb") as out:
            machine = subprocess.Popen([HERE / "machine" / "boot", *options, HERE / "scenarios" / f"{scenario}.sh", share],
                                       stdin=subprocess.PIPE if typed else subprocess.DEVNULL, stdout=out, stderr=out,
                                       env={"PEGASUS_XEN_LIMIT_S": "1500", **os.environ})
            self.addCleanup(machine.kill)
            if typed:
                self.type_at(machine, log, *typed)
            status = machine.wait()
        text = log.read_text(errors="replace")
        print(f"\nxen {scenario} {' '.join(options)}: status {status} after {time.monotonic() - began:.0f} s", flush=True)
        said = "\n".join(line for line in text.splitlines() if not line.startswith("(XEN)"))
        self.assertEqual(status, 0, f"{said[-6000:]}\nall of it: {log}")
        for trouble in ("Assertion", "Xen BUG", "Xen call trace", "panic on CPU"):
            self.assertNotIn(trouble, text, f"the hypervisor complained; see {log}")
        return share, text

    @staticmethod
    def type_at(machine, log, prompt, text):
        """Types the text when the prompt is in the log; returns also when the machine has ended before."""
        while machine.poll() is None and prompt not in log.read_text(errors="replace"):
            time.sleep(0.2)
        with machine.stdin as keyboard:
            if machine.poll() is None:
                keyboard.write(text.encode())
                keyboard.flush()
            machine.wait()

    def stages(self, text):
        """The scenario went on to its end."""
        stages = re.findall(r"^STAGE (.*?)\r?$", text, re.MULTILINE)
        print("\n".join(stages), flush=True)
        self.assertRegex("".join(stages[-1:]), "done$")

    @staticmethod
    def received(share, name):
        """The shares of device time between the two looks, in the order of the guests."""
        begin, end = ({domain["name"]: domain["device_busy_ns"] for domain in
                       json.loads((share / f"{name}-{when}.json").read_text())["domains"]} for when in ("begin", "end"))
        used = [end[guest] - begin[guest] for guest in sorted(end)]
        return [time_used / sum(used) for time_used in used]


class Functional(XenTest):
    def test_an_operators_day(self):
        _, text = self.boot("functional", "--debug")
        self.stages(text)


class Toolstack(XenTest):
    def test_xls_option_and_commands(self):
        _, text = self.boot("toolstack", "--debug")
        self.stages(text)


class Lifecycle(XenTest):
    def test_pv_and_pvh_guests(self):
        _, text = self.boot("lifecycle", "--debug", "--pvh")
        self.stages(text)


class Hostile(XenTest):
    def test_its_neighbours_verify(self):
        _, text = self.boot("hostile", "--debug")
        self.stages(text)
        print("\n".join(re.findall(r"^MAPTRACK (.*?)\r?$", text, re.MULTILINE)), flush=True)


class Admission(XenTest):
    def test_guests_are_refused_or_wait(self):
        _, text = self.boot("admission", "--debug")
        self.stages(text)


class Demo(XenTest):
    """What ci/xen-demo shows, and the shell of its --shell."""

    def test_four_guests_verify(self):
        policies = "none,eevdf:hold=auto"
        share, text = self.boot("demo", *STOCK, "--cpus", "3", "--interactive", policies=policies.replace(",", " "), shell="",
                                typed=("DEMO a shell in Dom0", "echo $((6 * 7)) are typed; pegasusctl policy fair; exit\n"))
        self.assertIn("\n42 are typed", text.replace("\r", ""))
        self.assertIn("FairGV", text)
        subprocess.run([sys.executable, "-B", HERE / "demo_table.py", share, policies], check=True)
        said = subprocess.run([sys.executable, "-B", HERE / "demo_table.py", "--json", share, policies], check=True,
                              capture_output=True, text=True).stdout
        runs = json.loads(said)["runs"]
        self.assertEqual([run["policy"] for run in runs], policies.split(","))
        for run in runs:
            self.assertEqual([guest["verified"] for guest in run["guests"]], [True] * 4)
            self.assertAlmostEqual(sum(guest["received"] for guest in run["guests"]), 1)
            self.assertGreater(run["utilization"], 0.5)
            self.assertLessEqual(run["utilization"], 1.05) # clocks of processes that write beside each other; estimates under none
            self.assertLessEqual(sum(guest["cpu"] for guest in run["guests"]), 2.1) # two pCPUs


@unittest.skipIf(SERIES, "Debian has its own Xen of one release only")
class Stock(XenTest):
    def test_debians_own_xen(self):
        _, text = self.boot("stock", "--stock")
        self.stages(text)
        states = json.loads(re.search(r"^STATES (\{.*\})", text, re.MULTILINE)[1])
        print(f"states by the trace buffers and by hypercalls: {states}", flush=True)
        self.assertIn("trace buffers", states["source"])
        self.assertGreater(states["changed"], 0)
        # What changes twice between two answers of Xen that are the same may differ.
        self.assertLess(states["differ"], states["looks"] / 100)


class Credit2(XenTest):
    def test_its_schedule_and_pools(self):
        share, text = self.boot("credit2", "--debug", "--scheduler", "credit2", "--deterministic")
        self.stages(text)
        heavy, light = self.received(share, "weights")
        print(f"weights 1024 and 256: {heavy:.3f} {light:.3f}", flush=True)
        self.assertAlmostEqual(heavy, 0.8, delta=0.05)


class Shares(XenTest):
    """Time is counted in instructions: the figures are the same on every machine."""

    def close_to(self, name, shares, wanted):
        print(f"{name}: " + " ".join(f"{share:.3f}" for share in shares), flush=True)
        for share, target in zip(shares, wanted):
            self.assertAlmostEqual(share, target, delta=0.05, msg=f"{name}: {shares} instead of {wanted}")

    def test_shares(self):
        share, _ = self.boot("shares", *STOCK, "--deterministic")
        by_credits = [1024 / 2304, 512 / 2304, 256 / 2304, 512 / 2304]
        print("none: " + " ".join(f"{part:.3f}" for part in self.received(share, "none")), flush=True)
        self.close_to("accc", self.received(share, "accc"), by_credits)
        self.close_to("fair", self.received(share, "fair"), by_credits)
        self.close_to("xc", self.received(share, "xc"), by_credits)
        self.close_to("equal", self.received(share, "equal"), [0.25] * 4)
        slaf = self.received(share, "slaf")
        print("slaf: " + " ".join(f"{part:.3f}" for part in slaf), flush=True)
        self.assertGreaterEqual(slaf[0], 0.48)
        self.assertLess(self.received(share, "equal")[0], 0.48)
        self.close_to("reserved", self.received(share, "reserved"), [0.5] + [0.5 / 3] * 3)


class Coupled(XenTest):
    """Programs whose halves on CPU and accelerator need each other, two guests on one pCPU: what each policy makes of
    them. Time is counted in instructions."""

    KINDS = ("calls", "beside")
    POLICIES = ("none", "rr", "accc", "augc", "cosched", "fair")
    GUESTS = ("g1", "g2")

    @staticmethod
    def between(share, kind, policy):
        """What the daemon counted until the first ended: (samples on the device, of these on a pCPU too), a guest."""
        begin, end = ({domain["name"]: domain["cpu"] for domain in
                       json.loads((share / f"{kind}-{policy}-{when}.json").read_text())["domains"]}
                      for when in ("begin", "end"))
        return {guest: [end[guest][part] - begin[guest][part] for part in ("samples_on_device", "samples_on_both")]
                for guest in end}

    def test_policies(self):
        share, text = self.boot("coupled", *STOCK, "--deterministic")
        found = {}
        for kind, policy, guest, result in re.findall(r"^RESULT (\w+) (\w+) (\w+) (\{.*\})", text, re.MULTILINE):
            found[kind, policy, guest] = json.loads(result)
        self.assertEqual(set(found), set(itertools.product(self.KINDS, self.POLICIES, self.GUESTS)))
        self.assertEqual([key for key, result in found.items() if result["verified"] is not True], [])
        print(f"{'KIND':7} {'POLICY':8} {'work/s':>13} {'p50 us':>13} {'p99 us':>15} {'on CPU':>13}  samples", flush=True)
        overlap = {}
        for kind, policy in itertools.product(self.KINDS, self.POLICIES):
            results = [found[kind, policy, guest] for guest in self.GUESTS]
            samples = self.between(share, kind, policy)
            overlap[kind, policy] = (sum(both for _, both in samples.values()) /
                                     max(1, sum(device for device, _ in samples.values())))
            columns = [" ".join(f"{result['work'] / result['seconds']:6.0f}" for result in results),
                       " ".join(f"{result['p50_us']:6.0f}" for result in results),
                       " ".join(f"{result['p99_us']:7.0f}" for result in results),
                       " ".join(f"{both / max(1, device):6.2f}" for device, both in samples.values()),
                       "/".join(str(device) for device, _ in samples.values())]
            print(f"{kind:7} {policy:8} {'  '.join(columns)}", flush=True)
        domains = json.loads((share / "calls-fair-end.json").read_text())["domains"]
        for domain in domains:
            print(f"wake-ups, fair, calls, {domain['name']}: {domain['cpu']['wake_ups']}", flush=True)
        self.assertGreater(sum(domain["cpu"]["wake_ups"]["woken"] for domain in domains), 0)
        waits = json.loads(re.search(r"^BOOST (\{.*\})", text, re.MULTILINE)[1])
        print(f"a busy vCPU's wait for its pCPU, us: {waits}", flush=True)
        self.assertLess(waits["boosted"]["median"], waits["alone"]["median"] / 4)
        # Kernel by kernel in turn, a program's kernels go on long after its own part. One policy's figure of one run says
        # little: any change gives another course of events (docs/evaluation/xen.md).
        scheduled = [overlap["beside", policy] for policy in self.POLICIES if policy != "none"]
        self.assertGreater(sum(scheduled) / len(scheduled), overlap["beside", "none"])


class Coordination(XenTest):
    """Programs of short synchronous steps, two guests on one pCPU: what a policy's coordination of both is worth. Time is
    counted in instructions. A start is a number of milliseconds by which one program begins after the other: any change gives
    another course of events, so figures are medians over starts."""

    def measure(self, switch_us, policies, starts):
        """The median over starts, a policy: (steps a second of both, the first's share of the device, p99 wait in us)."""
        share, text = self.boot("coordination", *STOCK, "--deterministic", switch_us=switch_us, policies=" ".join(policies),
                                starts=" ".join(map(str, starts)))
        found = {}
        for policy, start, guest, result in re.findall(r"^RESULT (\w+) (\w+) (\w+) (\{.*\})", text, re.MULTILINE):
            found[policy, int(start), guest] = json.loads(result)
        self.assertEqual(set(found), set(itertools.product(policies, starts, ("g1", "g2"))))
        self.assertEqual([key for key, result in found.items() if result["verified"] is not True], [])
        figures = {}
        for policy in policies:
            runs = [([found[policy, start, guest] for guest in ("g1", "g2")], self.share_of_first(share, policy, start))
                    for start in starts]
            figures[policy] = (statistics.median(sum(each["work"] / each["seconds"] for each in both) for both, _ in runs),
                               statistics.median(first for _, first in runs),
                               statistics.median(max(each["p99_us"] for each in both) for both, _ in runs))
            print(f"{switch_us:5} us {policy:8} {figures[policy][0]:7.0f} steps/s, the first's share {figures[policy][1]:.3f}, "
                  f"p99 {figures[policy][2]:6.0f} us", [round(sum(each["work"] / each["seconds"] for each in both))
                                                       for both, _ in runs], flush=True)
        return figures

    @staticmethod
    def share_of_first(share, policy, start):
        begin, end = ({domain["name"]: domain["device_busy_ns"] for domain in
                       json.loads((share / f"{policy}-{start}-{when}.json").read_text())["domains"]} for when in ("begin", "end"))
        used = {guest: end[guest] - begin[guest] for guest in end}
        return used["g1"] / sum(used.values())

    def test_lead(self):
        """PEGASUS_STARTS=0,7,13,19,26: the whole table of docs/evaluation/xen.md."""
        # One start in three or so gives `none` a fifth more.
        starts, policies = (0, 7, 13), ("none", "lead")
        if "PEGASUS_STARTS" in os.environ:
            starts = tuple(int(each) for each in os.environ["PEGASUS_STARTS"].split(","))
            policies = ("none", "accc", "fair", "lead")
            self.measure(0, policies, starts)
        figures = self.measure(1000, policies, starts)
        self.assertGreater(figures["lead"][0], 1.25 * figures["none"][0])  # 1.4 to 1.7, by the course of events


class Gaps(XenTest):
    """A program that computes between its calls (g1), beside one whose kernels cannot be stopped (g2); their vCPUs on one pCPU,
    then on two. Time is counted in instructions.
    PEGASUS_GAPS_POLICIES=none,accc,...: the whole table of docs/evaluation/xen.md."""

    DEFAULT = "eevdf:hold=auto"

    @staticmethod
    def calls_a_second(share, name):
        """{guest: calls a second between the two looks}."""
        begin, end = (json.loads((share / f"{name}-{when}.json").read_text()) for when in ("begin", "end"))
        before = {domain["name"]: domain["calls"] for domain in begin["domains"]}
        seconds = (end["elapsed_ns"] - begin["elapsed_ns"]) / 1e9
        return {domain["name"]: (domain["calls"] - before[domain["name"]]) / seconds for domain in end["domains"]}

    def test_each_keeps_its_part(self):
        policies = os.environ.get("PEGASUS_GAPS_POLICIES", f"accc,{self.DEFAULT}").split(",")
        share, text = self.boot("gaps", *STOCK, "--deterministic", "--cpus", "3", policies=" ".join(policies))
        results = [json.loads(result) for result in re.findall(r"^RESULT \S+ g\d (\{.*\})", text, re.MULTILINE)]
        self.assertEqual(len(results), 2 + 2 * 2 * len(policies)) # alone; two layouts of two guests
        self.assertEqual([result for result in results if result["verified"] is not True], [])
        alone = {guest: self.calls_a_second(share, f"alone-{guest}")[guest] for guest in ("g1", "g2")}
        for pcpus in ("one", "two"):
            kept = {}
            for policy in policies:
                calls = self.calls_a_second(share, f"{re.sub('[:=]', '_', policy)}-{pcpus}")
                kept[policy] = [calls[guest] / alone[guest] for guest in alone]
                print(f"{pcpus} {policy:16} of what each does alone: {kept[policy][0]:.3f} {kept[policy][1]:.3f}, together "
                      f"{sum(kept[policy]):.3f}", flush=True)
            # The aim is 0.45 for each. g2 has it; g1 has 0.38 to 0.44 on this machine (docs/evaluation/xen.md).
            self.assertGreaterEqual(kept[self.DEFAULT][1], 0.45)
            self.assertGreaterEqual(kept[self.DEFAULT][0], 0.33)
            self.assertGreaterEqual(kept[self.DEFAULT][0], 2 * kept["accc"][0])
            self.assertGreaterEqual(sum(kept[self.DEFAULT]), 0.85 * max(map(sum, kept.values())))


class Figures(XenTest):
    """The layouts of two of the papers' figures, here and in the simulator. Time is counted in instructions, those of all pCPUs
    together: each is slower while others run, the device's, too.
    PEGASUS_FIGURE_POLICIES=none,accc,...: the whole tables of docs/evaluation/xen.md."""

    def measure(self, figure, *options):
        policies = os.environ.get("PEGASUS_FIGURE_POLICIES", "fair").split(",")
        share, text = self.boot("figures", *STOCK, "--deterministic", *options, figure=figure, policies=" ".join(policies))
        alone = json.loads(re.search(r"^ALONE (\{.*\})", text, re.MULTILINE)[1])
        print(f"{figure}: a step of one alone takes {1e6 * alone['seconds'] / alone['work']:.0f} us, {alone['p50_us']:.0f} of them "
              "its call", flush=True)
        simulated = self.simulated_shares(figure, policies)
        for policy in policies:
            results = [json.loads(result) for result in re.findall(rf"^RESULT {policy} g\d (\{{.*\}})", text, re.MULTILINE)]
            self.assertEqual(len(results), len(simulated[policy]))
            self.assertEqual([result for result in results if result["verified"] is not True], [])
            received = self.received(share, policy)
            print(f"{policy:8} shares {self.row(received)}, simulated {self.row(simulated[policy])}; "
                  f"steps/s {sum(result['work'] / result['seconds'] for result in results):.0f}", flush=True)
            # Where no policy divides, the workers' control groups do: here the accelerator is a pCPU of Dom0.
            if policy != "none":
                for here, there in zip(received, simulated[policy]):
                    self.assertAlmostEqual(here, there, delta=0.03, msg=policy)

    @staticmethod
    def row(shares):
        return " ".join(f"{share:.3f}" for share in shares)

    @staticmethod
    def simulated_shares(figure, policies):
        """{policy: the guests' parts of all device time}."""
        words = [word for policy in policies for word in ("--policy", policy)]
        answer = subprocess.run([ROOT / "build/bin/pegasus-sim", f"xen-{figure}", *words, "--json"], capture_output=True, check=True)
        used = {run["policy"]: [domain["device_s"] for domain in run["domains"]] for run in json.loads(answer.stdout)["runs"]}
        return {policy: [guest / sum(guests) for guest in guests] for policy, guests in used.items()}

    def test_pegasus_fig4(self):
        self.measure("pegasus-fig4", "--cpus", "4", "--dom0-cpus", "2")

    def test_fairgv_fig9(self):
        self.measure("fairgv-fig9", "--cpus", "4")


if __name__ == "__main__":
    unittest.main()
