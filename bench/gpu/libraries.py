# SPDX-License-Identifier: Apache-2.0
"""The smallest programs of Python's libraries for CUDA, as far as this machine has them: natively, and under pegasusd.
Not all are expected to work: their messages are kept."""
import subprocess
import sys
import tempfile

PROGRAMS = {
    "torch": """
import torch
print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(0))
a = torch.ones(1 << 20, device="cuda"); print("sum", (a + a).sum().item())
m = torch.ones(256, 256, device="cuda"); print("matmul", (m @ m).sum().item())""",
    "cupy": """
import cupy
print(cupy.__version__, cupy.cuda.runtime.runtimeGetVersion())
a = cupy.ones(1 << 20); print("sum", float((a + a).sum()))
m = cupy.ones((256, 256)); print("matmul", float((m @ m).sum()))""",
    "jax": """
import jax, jax.numpy as jnp
print(jax.__version__, jax.devices())
a = jnp.ones(1 << 20); print("sum", float((a + a).sum()))
m = jnp.ones((256, 256)); print("matmul", float((m @ m).sum()))""",
    "triton": """
import torch, triton, triton.language as tl
@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
print(triton.__version__)
x = torch.ones(1 << 16, device="cuda"); double[(64,)](x, 1 << 16, BLOCK=1024); print("sum", x.sum().item())""",
    "numba": """
import numpy, numba
from numba import cuda
@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size: x[i] *= 2
print(numba.__version__)
x = cuda.to_device(numpy.ones(1 << 16)); double[64, 1024](x); print("sum", x.copy_to_host().sum())""",
}
LONGEST_S = 90


def has(module):
    return subprocess.run([sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"],
                          check=False).returncode == 0


def outcome(program):
    try:
        status = program.ended(LONGEST_S)
        return status == 0, f"status {status}\n{program.out[-1500:]}\n{program.err[-3000:]}"
    except AssertionError as error:
        return False, str(error)[-4000:]
    finally:
        program.close()


def measure(stage):
    for module in stage.budget.each(PROGRAMS):
        if not has(module):
            yield {"program": module, "natively": None, "under pegasusd": None, "text": "this machine does not have it"}
            continue
        # In a file: Triton wants a kernel's source.
        with tempfile.NamedTemporaryFile("w", prefix=f"{module}-", suffix=".py") as script:
            script.write(PROGRAMS[module])
            script.flush()
            command = [sys.executable, script.name]
            native, native_text = outcome(stage.native(command))
            ours, our_text = outcome(stage.ours("libraries")(command))
        yield {"program": module, "natively": native, "under pegasusd": ours,
               "text": f"natively: {native_text}\nunder pegasusd: {our_text}"}
