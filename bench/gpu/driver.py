# SPDX-License-Identifier: Apache-2.0
"""Where this machine keeps the CUDA driver and runtime."""
import glob
import os
import subprocess

# Where images of machines and containers put a driver besides the loader's own directories.
DRIVER_DIRECTORIES = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current",
                      "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/wsl/lib")


def device_nodes():
    """Of GPUs: with one of them here, nothing but a GPU is measured."""
    return sorted(glob.glob("/dev/nvidia[0-9]*") + glob.glob("/dev/nvidiactl") + glob.glob("/dev/dxg"))


def known_to_the_loader():
    try:
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, timeout=10, check=False,
                                env=dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")).stdout
    except OSError:
        return []
    return [line.split("=>")[1].strip() for line in listed.splitlines() if line.strip().startswith("libcuda.so.1 ")]


def library():
    """(path of libcuda.so.1, whether the loader finds it by itself); None: there is none."""
    searched = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for path in known_to_the_loader():
        if os.path.exists(path):
            return path, True
    for directory in filter(None, [*searched, *DRIVER_DIRECTORIES]):
        if os.path.exists(f"{directory}/libcuda.so.1"):
            return f"{directory}/libcuda.so.1", False
    return None


def runtime_directory():
    """Of NVIDIA's libcudart.so.13; None: there is none."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), *sorted(glob.glob("/usr/local/cuda*"))]
    for home in filter(None, homes):
        for directory in (f"{home}/lib64", f"{home}/targets/x86_64-linux/lib"):
            if os.path.exists(f"{directory}/libcudart.so.13"):
                return directory
    return None


def native_library_path(ours):
    """For a program that uses NVIDIA's driver and runtime directly. `ours`: the directory of our libraries."""
    found = library()
    directories = [runtime_directory(), *os.environ.get("LD_LIBRARY_PATH", "").split(":"),
                   os.path.dirname(found[0]) if found and not found[1] else None]
    return ":".join(each for each in directories if each and os.path.realpath(each) != os.path.realpath(ours))
