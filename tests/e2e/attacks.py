# SPDX-License-Identifier: Apache-2.0
"""Attacks: what a domain may do to receive more than its share, to take the host's memory, or to get out of its worker, and
what it may do once it is in its worker's place; and what honest ones keep beside it.

Run by ci/attack for all of them and for long, by test_attacks.py, test_endless.py and test_taken_over.py for some and
short."""
import shutil
import threading
import time
from dataclasses import dataclass, field

from support import BUILD, EndToEndTest, python, workload
from waiting import wait_until

RUNAWAY_MS = 1000
TRIES = 3

# Kernels of a fraction of a millisecond: one program always has the next one queued, the other waits for each.
HONEST = {
    "greedy": [workload("throttle"), "--rounds", "20000", "--blocks", "1", "--sync-every", "64"],
    "waiting": [workload("throttle"), "--rounds", "20000", "--blocks", "1", "--sync-every", "1"],
}
ENDLESS = [workload("throttle"), "--rounds", str(1 << 28), "--blocks", "1", "--sync-every", "1"]


@dataclass
class Attack:
    """`processes` of one domain that run `command` again and again; killed after `lives` seconds, if that is set.
    `settings`: what the operator has set of the domain, besides the defaults. `misdeed`: of its workers, once they are in
    its hands (tests/support/hostile_worker)."""
    summary: str
    command: list
    processes: int = 1
    lives: float = 0
    settings: dict = field(default_factory=dict)
    misdeed: str = ""


SCHEDULING = {
    "endless": Attack("kernels that never end, launched again and again", ENDLESS, processes=4),
    "long": Attack("kernels of a quarter of the time after which they would be killed",
                   [workload("throttle"), "--microseconds", str(250 * RUNAWAY_MS), "--blocks", "1", "--sync-every",
                    "1", "--seconds", "3600"]),
    "crowd": Attack("eight programs instead of one", [*HONEST["greedy"], "--seconds", "3600"], processes=8),
    "dying": Attack("programs that are killed within their kernels", ENDLESS, processes=4, lives=0.4),
    "copies": Attack("copies between host and device instead of kernels", python("client_copies.py"), processes=2),
    "pinned": Attack("... from and to memory that the accelerator copies itself", python("client_copies.py", "pinned"),
                     processes=2),
}
MEMORY = {
    "modules": Attack("modules without end, which are the worker's own memory", python("client_modules.py"), processes=2,
                      settings={"memory": "64M", "host-memory": "128M"}),
    "device": Attack("all the device memory that is to be had, taken and given back", python("client_hold.py"), processes=2,
                     settings={"memory": "64M"}),
}
ISOLATION = {
    "escapes": Attack("PTX that once left the interpreter", python("client_escapes.py"), processes=2),
    "rings": Attack("call buffers that are broken, one after the other: workers that end, lines in the log",
                    python("client_rings.py"), processes=2),
    "churn": Attack("programs that come and go", [workload("vector_add"), "--elements", "1000"], processes=4),
}
# Kernels of a quarter of a second, one after the other: what a worker executes if nothing stops it.
TAKEN_OVER = [workload("throttle"), "--microseconds", "250000", "--blocks", "1", "--sync-every", "1", "--seconds", "3600"]
WORKER = {
    "scribble": "anything, written over all that it shares with others",
    "ring": "kicks without end",
    "log": "lines in the log without end",
    "overstay": "it never leaves the device",
    "unseen": "it executes whatever its gate says, and says that it is idle",
    "hold": "it takes the software accelerator's engine again and again, and says that it is idle",
    "claim": "all memory is its own, by the pages that say so",
}
WORKER = {name: Attack(summary, TAKEN_OVER, misdeed=name) for name, summary in WORKER.items()}
SECTIONS = {"scheduling": SCHEDULING, "memory": MEMORY, "isolation": ISOLATION, "worker": WORKER}
ATTACKS = SCHEDULING | MEMORY | ISOLATION | WORKER


class HostileWorker:
    """pegasus-avcpu that can be taken over: an option of pegasusd, and a worker that starts while `misdeed` is set misbehaves."""

    def __init__(self, directory):
        directory.mkdir()
        self._program = directory / "pegasus-avcpu"
        shutil.copy2(BUILD / "tests" / "hostile_worker" / "pegasus-avcpu", self._program)
        self._plan = directory / "attack"

    @property
    def options(self):
        return ["--worker", str(self._program)]

    def take_over(self, misdeed):
        if misdeed:
            self._plan.write_text(misdeed)
        else:
            self._plan.unlink(missing_ok=True)


class Swarm:
    """Keeps an attack going until it is told to stop. `worker`: the daemon's, where an attack is its misdeed."""

    def __init__(self, daemon, attack, worker=None, domain="attacker"):
        self._daemon, self._attack, self._worker, self._domain = daemon, attack, worker, domain
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._again_and_again) for _ in range(attack.processes)]

    def _again_and_again(self):
        while not self._stop.is_set():
            program = self._daemon.run(self._attack.command, domain=self._domain)
            died_at = time.monotonic() + (self._attack.lives or 3600)
            while program.runs() and time.monotonic() < died_at and not self._stop.is_set():
                time.sleep(0.02)
            program.close()

    def __enter__(self):
        settings = {"memory": "0", "host-memory": "0"} | self._attack.settings
        self._daemon.ask("set", "--create", self._domain, *(f"{key}={value}" for key, value in settings.items()))
        if self._worker:
            self._worker.take_over(self._attack.misdeed)
        for thread in self._threads:
            thread.start()
        wait_until(lambda: self._daemon.tasks(self._domain), 30, "the attack begins")
        if self._attack.misdeed:
            wait_until(lambda: f"hostile worker: {self._attack.misdeed}" in self._daemon.log, 30,
                       lambda: f"no worker is taken over: {self._daemon.log}")
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self._worker:
            self._worker.take_over("")


@dataclass
class Kept:
    """What a domain did meanwhile: calls a second, the part of the time that it had the device, and the longest time
    without a call. How much of its rate it keeps is told by the second: calls a second are also those of a machine
    that others load."""
    rate: float
    device: float
    longest_stall: float


def watch(daemon, domains, seconds):
    """Looks at the calls of each domain twenty times a second."""
    first = last = daemon.domains()
    began = time.monotonic()
    grown_at = {name: began for name in domains}
    stalls = {name: 0.0 for name in domains}
    while time.monotonic() < began + seconds:
        time.sleep(0.05)
        seen, now = daemon.domains(), time.monotonic()
        for name in domains:
            if seen[name]["calls"] > last[name]["calls"]:
                grown_at[name] = now
            stalls[name] = max(stalls[name], now - grown_at[name])
        last = seen
    took = time.monotonic() - began
    return {name: Kept((last[name]["calls"] - first[name]["calls"]) / took,
                       (last[name]["device_busy_ns"] - first[name]["device_busy_ns"]) / 1e9 / took, stalls[name])
            for name in domains}


def start_honest(daemon, name, start):
    """`start`: what runs a program of a domain, EndToEndTest.guest."""
    start(daemon, [*HONEST[name], "--seconds", "3600"], domain=name)
    wait_until(lambda: any(task["calls"] > 200 for task in daemon.tasks(name)), 60, f"{name} launches kernels")


class AttackTest(EndToEndTest):
    def keeps(self, least, policy, attack, honest, seconds):
        """That part at least, by kept(). Others on this machine take CPUs from the programs themselves, which no scheduler of
        ours shares out: the best of some tries counts, since an attack that works does so each time."""
        best = 0
        for run in range(TRIES):
            kept, stall, attacker = self.kept(policy, attack, honest, seconds, run)
            if kept >= least:
                return stall, attacker
            best = max(best, kept)
        return self.fail(f"{policy}, {attack}: {honest} keeps {best:.2f}, not {least}")

    def kept(self, policy, attack, honest, seconds, run=0):
        """The part of its device time alone that an honest domain keeps, what it waited, and the attacker as operators
        see it. `run`: another number each time."""
        worker = HostileWorker(self.directory / f"worker-{policy}-{attack}-{run}")
        daemon = self.start_daemon(name=f"{policy}-{attack}-{run}", policy=policy,
                                   options=["--runaway", f"{RUNAWAY_MS}ms", *worker.options])
        daemon.ask("set", "--create", "newcomer", "memory=64M")  # kept free for it
        start_honest(daemon, honest, self.guest)
        alone = watch(daemon, [honest], 1)[honest]
        with Swarm(daemon, ATTACKS[attack], worker):
            beside = watch(daemon, [honest], seconds)[honest]
            attacker = daemon.domains()["attacker"]
            if ATTACKS[attack].misdeed:
                worker.take_over("")
                self.assertPassed(self.guest(daemon, [workload("vector_add"), "--elements", "1000"], domain="newcomer"))
        seen = daemon.domains()[honest]
        self.assertEqual(seen["conduct"]["killed_tasks"], 0)
        wait_until(lambda: daemon.domains()[honest]["calls"] > seen["calls"], 10, f"{honest} goes on")
        daemon.close()
        kept = beside.device / alone.device
        print(f"{policy}, {attack}: keeps {kept:.2f} ({beside.rate / alone.rate:.2f} of its calls), "
              f"longest stall {beside.longest_stall:.2f} s, attacker received {attacker['received_share']:.2f}, "
              f"{attacker['conduct']['killed_tasks']} tasks killed", flush=True)
        return kept, beside.longest_stall, attacker
