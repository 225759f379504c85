# SPDX-License-Identifier: Apache-2.0
"""Every workload once under pegasusd: does it verify? And does one domain find what another left in device memory?"""
from stage import Failed, finished

REFUSED = ("vector_add_no_ptx",)  # on purpose: workloads/README.md
NEWER = ("tensor_cores_80",)  # than the software accelerator
SHARES_MEMORY = ("unified_memory",)  # of the host with kernels, which no driver's accelerator does
MIB = 1 << 20
WANTED_MIB = 4096  # several contexts of a large GPU, and the programs' own memory
WITHOUT_GPU_MIB = 256


def share_mib(stage):
    """What a domain gets here: four of them fit."""
    if not stage.on_gpu:
        return WITHOUT_GPU_MIB
    return min(WANTED_MIB, stage.daemon.ask("accelerators")["accelerators"][0]["memory_bytes"] // MIB // 4)


def run(stage, domain, name, *words):
    try:
        result = finished(stage.ours(domain)(stage.workload(name, *words)))
        return {"program": name, "verified": True, "seconds": result["seconds"]}
    except Failed as failure:
        return {"program": name, "verified": False, "seconds": 0, "why": str(failure)}


def measure(stage):
    share = share_mib(stage)
    for domain in ("verify", "leaver", "finder"):
        stage.daemon.ask("set", "--create", domain, f"memory={share}M")
    limited = {"memory_hog": ("--at-most-mib", share)}
    names = [path.name for path in sorted((stage.build / "bin" / "workloads").iterdir()) if path.is_file()]
    left_out = REFUSED + SHARES_MEMORY + (() if stage.on_gpu else NEWER)
    for name in stage.budget.each(name for name in names if name not in left_out):
        yield run(stage, "verify", name, *limited.get(name, ()))
    yield run(stage, "leaver", "leftovers", "--mib", share // 2, "--look", 0)
    yield run(stage, "finder", "leftovers", "--mib", share // 2, "--leave", 0)
