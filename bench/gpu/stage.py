# SPDX-License-Identifier: Apache-2.0
"""What is measured and what it is measured against.

With a GPU: programs under pegasusd on the GPU, against the same programs on NVIDIA's own libcudart and driver.
Without one: the same backend over our own libcuda.so.1, whose device is another pegasusd's software accelerator; against
the same programs under that other one. That shows that everything works, and what our layer costs there; not speed."""
import glob
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from daemon import Daemon
from program import Program


class Failed(Exception):
    """A program did not verify: no figure of it means anything."""


def clean_environment(runtime):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("PEGASUS_") and name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    kept["XDG_RUNTIME_DIR"] = str(runtime)
    return kept


def nvidia_runtime():
    """The directory of NVIDIA's libcudart.so.13; None: there is none."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), *sorted(glob.glob("/usr/local/cuda*"))]
    for home in filter(None, homes):
        for directory in (f"{home}/lib64", f"{home}/targets/x86_64-linux/lib"):
            if os.path.exists(f"{directory}/libcudart.so.13"):
                return directory
    return None


class Stage:
    def __init__(self, build, accelerator):
        self.build = Path(build).resolve()
        self._directory = Path(tempfile.mkdtemp(prefix="pegasus-gpu-"))
        (self._directory / "run").mkdir(mode=0o700)
        self.environment = clean_environment(self._directory / "run")
        self._daemons = []
        self.device = None  # the other pegasusd, without a GPU
        try:
            self._drain(accelerator)
        except BaseException:
            self.close()
            raise

    def _drain(self, accelerator):
        if accelerator == "auto":
            probe = self._start("probe", self.environment, ["--accelerator", "auto"])
            accelerator = probe.ask("accelerators")["accelerators"][0]["kind"]
            probe.close()
        self.on_gpu = accelerator == "cuda"
        if not self.on_gpu:
            self.device = self._start("device", self.environment, ["--accelerator", "software"], policy="none")
            self.device.serve_everybody()
        self.daemon = self.start_daemon("pegasus")

    def start_daemon(self, name, policy="accc", options=()):
        """Another pegasusd on the same device."""
        environment, words = self.environment, ["--accelerator", "cuda", *options]
        if not self.on_gpu:
            environment = dict(environment, PEGASUS_SOCKET=os.path.join(self.device.directory, "guest.sock"),
                               PEGASUS_DOMAIN="gpu")
            words += ["--cuda-driver", str(self.build / "lib" / "libcuda.so.1"), "--driver-files",
                      self.device.directory]
        return self._start(name, environment, words, policy)

    def _start(self, name, environment, options, policy="accc"):
        daemon = Daemon(self.build, environment, self._directory / name, policy=policy, options=options)
        self._daemons.append(daemon)
        return daemon

    def close(self):
        for daemon in reversed(self._daemons):
            daemon.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    # --- programs

    def workload(self, name, *words):
        return [self.build / "bin" / "workloads" / name, *map(str, words)]

    def reference(self):
        """How to start a program on what we are measured against; None: there is nothing."""
        if not self.on_gpu:
            return lambda command: self.device.run(command, domain="reference")
        directory = nvidia_runtime()
        if directory is None:
            return None
        native = dict(self.environment, LD_LIBRARY_PATH=directory)
        return lambda command: Program(command, native)

    def ours(self, domain="bench"):
        return lambda command: self.daemon.run(command, domain=domain)


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
