# SPDX-License-Identifier: Apache-2.0
"""The attack on Dom0's table of mapped grants, on the test machine: what two honest guests keep beside it, for ci/attack."""
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HONEST = {"g1": "greedy", "g2": "waiting"}
ATTACKER = "g3"


@dataclass
class Phase:
    """What pegasusd counted, look by look. Looks are a second and more apart: so long is the shortest stall that is seen."""
    times: list
    looks: list

    @classmethod
    def read(cls, share, name):
        times = [float(line) for line in (share / f"{name}-times").read_text().split()]
        looks = [{domain["name"]: domain for domain in json.loads((share / f"{name}-{number}.json").read_text())["domains"]}
                 for number in range(len(times))]
        return cls(times, looks)

    def a_second(self, domain, figure):
        return (self.looks[-1][domain][figure] - self.looks[0][domain][figure]) / (self.times[-1] - self.times[0])

    def longest_stall(self, domain):
        longest, grown_at = 0.0, self.times[0]
        for time, before, look in zip(self.times[1:], self.looks, self.looks[1:]):
            if look[domain]["calls"] > before[domain]["calls"]:
                grown_at = time
            longest = max(longest, time - grown_at)
        return longest


def missing():
    """What has to be built first; nothing: all is there."""
    needed = {"build-xen/xen/xen": "xen-patches/build", "build-xen/machine/dom0.cpio.gz": "tests/xen/machine/images"}
    return [command for product, command in needed.items() if not (ROOT / product).exists()]


def attack(policy, looks):
    """Boots the machine; what was counted without the attack and beside it, and what the scenario said of the table."""
    share = Path(tempfile.mkdtemp(prefix="pegasus-xen-"))
    for name, text in {"only": "maptrack", "policy": policy, "looks": str(looks)}.items():
        (share / name).write_text(text + "\n")
    ran = subprocess.run([HERE / "machine" / "boot", HERE / "scenarios" / "hostile.sh", share], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"the machine's scenario failed:\n{(ran.stdout + ran.stderr)[-4000:]}")
    said = re.findall(r"^MAPTRACK (.*?)\r?$", ran.stdout, re.MULTILINE)
    return Phase.read(share, "alone"), Phase.read(share, "beside"), said
