# SPDX-License-Identifier: Apache-2.0
"""Scenarios on the test machine: a real Xen with the patch series, a real Dom0, real guests, in QEMU.

Needs build/ (ci/build), xen-patches/build and tests/xen/machine/images."""
import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LOGS = ROOT / "build-xen" / "logs"


class XenTest(unittest.TestCase):
    def boot(self, scenario, *options):
        """Runs a scenario to its end; its files, and what the machine printed."""
        share = Path(tempfile.mkdtemp(prefix="pegasus-xen-"))
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / f"{scenario}.log"
        began = time.monotonic()
        with open(log, "wb") as out:
            status = subprocess.run([HERE / "machine" / "boot", *options, HERE / "scenarios" / f"{scenario}.sh", share],
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False).returncode
        text = log.read_text(errors="replace")
        print(f"\nxen {scenario} {' '.join(options)}: status {status} after {time.monotonic() - began:.0f} s", flush=True)
        said = "\n".join(line for line in text.splitlines() if not line.startswith("(XEN)"))
        self.assertEqual(status, 0, f"{said[-6000:]}\nall of it: {log}")
        for trouble in ("Assertion", "Xen BUG", "Xen call trace", "panic on CPU"):
            self.assertNotIn(trouble, text, f"the hypervisor complained; see {log}")
        return share, text


class Functional(XenTest):
    def test_an_operators_day(self):
        _, text = self.boot("functional", "--debug", "--cpus", "2")
        self.assertIn("STAGE done", text)
        for line in text.splitlines():
            if line.startswith("STAGE"):
                print(line.strip(), flush=True)


class Hostile(XenTest):
    def test_its_neighbours_verify(self):
        _, text = self.boot("hostile", "--debug", "--cpus", "2")
        self.assertIn("STAGE done", text)


class Shares(XenTest):
    """Time is counted in instructions: the figures are the same on every machine."""

    @staticmethod
    def received(share, name):
        """The shares of device time between the two looks, in the order of the guests."""
        begin, end = ({domain["name"]: domain["device_busy_ns"] for domain in
                       json.loads((share / f"{name}-{when}.json").read_text())["domains"]} for when in ("begin", "end"))
        used = [end[guest] - begin[guest] for guest in sorted(end)]
        return [time_used / sum(used) for time_used in used]

    def close_to(self, name, shares, wanted):
        print(f"{name}: " + " ".join(f"{share:.3f}" for share in shares), flush=True)
        for share, target in zip(shares, wanted):
            self.assertAlmostEqual(share, target, delta=0.05, msg=f"{name}: {shares} instead of {wanted}")

    def test_shares(self):
        share, _ = self.boot("shares", "--deterministic")
        by_credits = [1024 / 2304, 512 / 2304, 256 / 2304, 512 / 2304]
        print("none: " + " ".join(f"{part:.3f}" for part in self.received(share, "none")), flush=True)
        self.close_to("accc", self.received(share, "accc"), by_credits)
        self.close_to("xc", self.received(share, "xc"), by_credits)
        self.close_to("equal", self.received(share, "equal"), [0.25] * 4)
        slaf = self.received(share, "slaf")
        print("slaf: " + " ".join(f"{part:.3f}" for part in slaf), flush=True)
        self.assertGreaterEqual(slaf[0], 0.48)
        self.assertLess(self.received(share, "equal")[0], 0.48)


class Coupled(XenTest):
    """Programs that wait for each call, two guests on one pCPU: what each policy makes of them."""

    POLICIES = ("none", "rr", "accc", "xc", "augc", "cosched")

    def test_policies(self):
        _, text = self.boot("coupled", "--deterministic")
        found = {}
        for policy, guest, result in re.findall(r"^RESULT (\w+) (\w+) (\{.*\})", text, re.MULTILINE):
            found[policy, guest] = json.loads(result)
        self.assertEqual(set(found), {(policy, guest) for policy in self.POLICIES for guest in ("g1", "g2")})
        print(f"{'POLICY':8} {'DOMAIN':6} {'calls/s':>8} {'p50 us':>9} {'p99 us':>9} {'longest us':>11}", flush=True)
        for (policy, guest), result in found.items():
            self.assertIs(result["verified"], True)
            print(f"{policy:8} {guest:6} {result['work'] / result['seconds']:8.0f} {result['p50_us']:9.1f} "
                  f"{result['p99_us']:9.1f} {result['longest_us']:11.1f}", flush=True)


if __name__ == "__main__":
    unittest.main()
