# SPDX-License-Identifier: Apache-2.0
"""What this machine is: what explains a failure afterwards, when the machine is gone."""
import glob
import os
import platform
import resource
import subprocess

import driver

COMMANDS = (
    "nvidia-smi", "nvidia-smi -q", "uname -a", "cat /etc/os-release", "id", "lscpu", "free -m", "df -h",
    "ls -lR /dev/nvidia* /dev/dri /dev/dxg", "cat /proc/driver/nvidia/version", "cat /proc/driver/nvidia/params",
    "cat /proc/driver/nvidia/gpus/*/information", "cat /proc/devices", "cat /proc/modules", "ldconfig -p",
    "ls -l /usr/local/nvidia /usr/local/nvidia/lib64 /usr/local/cuda*", "cat /sys/kernel/security/lsm",
    "cat /proc/self/attr/current", "cat /proc/self/mountinfo", "cat /proc/self/status", "cat /proc/self/cgroup",
    "cat /proc/self/uid_map /proc/self/gid_map", "grep -r . /proc/sys/user /proc/sys/kernel/yama",
    "grep . /proc/sys/kernel/unprivileged_userns_clone /proc/sys/kernel/dmesg_restrict /proc/sys/vm/overcommit_memory"
    " /proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "dmesg | tail -n 50", "ldd --version", "nvcc --version", "strace -V",
)
MORE_PATH = ":/usr/sbin:/sbin:/usr/local/nvidia/bin:/usr/local/cuda/bin"
SHOWN_VARIABLES = ("CUDA", "NV", "LD_", "PATH", "XDG", "LANG")
LIMITS = ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_MEMLOCK", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_STACK")


def output_of(command, seconds=20):
    try:
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, errors="replace", timeout=seconds,
                              check=False, env=dict(os.environ, PATH=os.environ.get("PATH", "") + MORE_PATH))
    except subprocess.TimeoutExpired:
        return f"did not end within {seconds} s"
    return (done.stdout + done.stderr).strip()


def limits():
    return "\n".join(f"{name}: {resource.getrlimit(getattr(resource, name))}" for name in LIMITS)


def measure(stage):
    found = driver.library()
    yield {"what": "the CUDA driver", "text": f"{found[0]}{'' if found[1] else ', which the loader does not find'}"
           if found else "there is no libcuda.so.1"}
    yield {"what": "device nodes", "text": " ".join(driver.device_nodes()) or "none"}
    yield {"what": "NVIDIA's runtime", "text": driver.runtime_directory() or "there is no libcudart.so.13"}
    yield {"what": "Python", "text": f"{platform.python_version()}, {' '.join(platform.libc_ver())}"}
    yield {"what": "strace", "text": stage.strace() or "none that works"}
    yield {"what": "limits", "text": limits()}
    yield {"what": "environment", "text": "\n".join(
        f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(SHOWN_VARIABLES))}
    for command in stage.budget.each(COMMANDS):
        yield {"what": command, "text": output_of(command)}
    maps = glob.glob("/proc/driver/nvidia/capabilities/**", recursive=True)
    yield {"what": "driver capabilities", "text": "\n".join(maps) or "none"}
