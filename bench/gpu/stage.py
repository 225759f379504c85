# SPDX-License-Identifier: Apache-2.0
"""What is measured and what it is measured against.

With a GPU: programs under pegasusd on the GPU, against the same programs on NVIDIA's own libcudart and driver.
Without one: the same backend over our own libcuda.so.1, whose device is another pegasusd's software accelerator; against
the same programs under that other one. That shows that everything works, and what our layer costs there; not speed."""
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import driver
from budget import Budget
from daemon import Daemon
from program import Program

LOG_LINES = 60  # of a daemon, kept when something fails


class Failed(Exception):
    """A program did not verify: no figure of it means anything."""


def clean_environment(runtime):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("PEGASUS_") and name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    kept["XDG_RUNTIME_DIR"] = str(runtime)
    return kept


class Stage:
    def __init__(self, build, accelerator, confine=None, traces=None):
        nodes = driver.device_nodes()
        if accelerator == "software" and nodes:
            raise Failed(f"this machine has a GPU ({' '.join(nodes)}): the software accelerator is not measured here")
        self.build = Path(build).resolve()
        self._traces = traces  # a path that names of files are appended to; None: they are not kept
        self.budget = Budget(3600)  # until there is another one
        self.accelerator = None  # what pegasusd says of it, once it was asked
        self.confinement = ["--confine", confine] if confine else []  # of all workers
        self._directory = Path(tempfile.mkdtemp(prefix="pegasus-gpu-"))
        (self._directory / "run").mkdir(mode=0o700)
        self.environment = clean_environment(self._directory / "run")
        self._daemons = []  # (name, daemon), open ones and closed ones
        self._started = 0
        self._daemon = self._device = None
        self.on_gpu = accelerator == "cuda" or bool(nodes) or (accelerator == "auto" and self._finds_gpu())

    def _finds_gpu(self):
        probe = self._start("probe", self.environment, ["--accelerator", "auto"])
        kind = probe.ask("accelerators")["accelerators"][0]["kind"]
        probe.close()
        return kind == "cuda"

    @property
    def device(self):
        """The other pegasusd, without a GPU."""
        if self._device is None:
            self._device = self._start("device", self.environment, ["--accelerator", "software"], policy="none")
            self._device.serve_everybody()
        return self._device

    @property
    def daemon(self):
        if self._daemon is None:
            self._daemon = self.start_daemon("pegasus")
        return self._daemon

    def start_daemon(self, name, policy="accc", options=(), under=()):
        """Another pegasusd on the same device."""
        environment, words = self.environment, ["--accelerator", "cuda", *self.confinement, *options]
        if not self.on_gpu:
            environment = self.on_the_device("gpu")
            words += ["--cuda-driver", str(self.build / "lib" / "libcuda.so.1"), "--driver-files",
                      self.device.directory]
        elif (found := driver.library()) and not found[1]:
            words += ["--cuda-driver", found[0]]
        return self._start(name, environment, words, policy, under)

    def _start(self, name, environment, options, policy="accc", under=()):
        self._started += 1
        daemon = Daemon(self.build, environment, self._directory / f"{self._started}-{name}", policy=policy, options=options,
                        under=under)
        self._daemons.append((name, daemon))
        return daemon

    def logs(self):
        """The ends of the logs of the daemons that are still there."""
        logs = {}
        for name, daemon in self._daemons:
            try:
                logs[name] = "\n".join(daemon.log.splitlines()[-LOG_LINES:])
            except ValueError:  # closed
                pass
        return logs

    def tidy(self):
        """After a section: only what all sections use stays, if it lives."""
        keep = [daemon for daemon in (self._daemon, self._device) if daemon and daemon.alive()]
        for _, daemon in reversed(self._daemons):
            if daemon not in keep:
                daemon.close()
        self._daemons = [(name, daemon) for name, daemon in self._daemons if daemon in keep]
        self._daemon = self._daemon if self._daemon in keep else None
        self._device = self._device if self._device in keep else None

    def restart(self, confinement):
        """All daemons from now on confine their workers so."""
        self.confinement = confinement
        if self._daemon:
            self._daemon.close()
        self.tidy()

    def new_file(self, name):
        return Path(f"{self._traces}.{name}") if self._traces else self._directory / name

    def close(self):
        for _, daemon in reversed(self._daemons):
            daemon.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    # --- programs

    def workload(self, name, *words):
        return [self.build / "bin" / "workloads" / name, *map(str, words)]

    def on_the_device(self, domain):
        """The environment of a process whose CUDA driver is ours and uses the device below."""
        return dict(self.environment, PEGASUS_SOCKET=os.path.join(self.device.directory, "guest.sock"),
                    PEGASUS_DOMAIN=domain)

    def native_environment(self):
        """Of a program that uses the driver itself; without a GPU, ours on the device below."""
        if self.on_gpu:
            return dict(self.environment, LD_LIBRARY_PATH=driver.native_library_path(self.build / "lib"))
        return dict(self.on_the_device("native"), LD_LIBRARY_PATH=str(self.build / "lib"))

    def native(self, command):
        return Program(command, self.native_environment())

    def reference(self):
        """How to start a program on what we are measured against; None: there is nothing."""
        if not self.on_gpu:
            return lambda command: self.device.run(command, domain="reference")
        return self.native if driver.runtime_directory() else None

    def ours(self, domain="bench"):
        return lambda command: self.daemon.run(command, domain=domain)

    def strace(self):
        """The program; None: this machine has none, or does not let it work."""
        for path in (self.build / "bin" / "strace", shutil.which("strace")):
            if path and os.access(path, os.X_OK):
                tried = subprocess.run([path, "-o", os.devnull, "true"], capture_output=True, timeout=10, check=False)
                return str(path) if tried.returncode == 0 else None
        return None


def finished(program, within=120):
    """Its result, after checking that it verified."""
    try:
        program.ended(within)
        if not program.passed():
            raise Failed(str(program))
        return dict(program.result(), text=program.out)
    except AssertionError as error:
        raise Failed(str(error)) from None
    finally:
        program.close()


def best(start, command, key, times=3):
    """The smallest of a few runs: what disturbs a run makes it longer, never shorter."""
    return min(finished(start(command))[key] for _ in range(times))


def wall(start, command, times=5):
    """Median seconds from start to end."""
    taken = []
    for _ in range(times):
        begin = time.monotonic()
        finished(start(command))
        taken.append(time.monotonic() - begin)
    return statistics.median(taken)
