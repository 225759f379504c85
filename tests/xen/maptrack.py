# SPDX-License-Identifier: Apache-2.0
"""The attack on Dom0's table of mapped grants, on the test machine: what two honest guests keep beside it, for ci/attack."""
import json
import re
import subprocess
import sys
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
    log = ROOT / "build-xen" / "logs" / "attack-maptrack.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        status = subprocess.run([HERE / "machine" / "boot", HERE / "scenarios" / "hostile.sh", share],
                                stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False).returncode
    text = log.read_text(errors="replace")
    if status != 0:
        why = re.findall(r"^FAIL: .*?$", text, re.MULTILINE) or [f"status {status}"]
        sys.exit(f"attack: {why[0].strip()}; all that the machine said: {log}")
    said = re.findall(r"^MAPTRACK (.*?)\r?$", text, re.MULTILINE)
    return Phase.read(share, "alone"), Phase.read(share, "beside"), said
