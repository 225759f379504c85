# SPDX-License-Identifier: Apache-2.0
"""Every workload once under pegasusd: does it verify? And does one domain find what another left in device memory?"""
from stage import Failed, finished

REFUSED = ("vector_add_static", "vector_add_no_ptx")  # on purpose: workloads/README.md
LIMITED = {"memory_hog": ("--at-most-mib", 256)}  # the domain's share, below


def run(stage, domain, name, *words):
    try:
        result = finished(stage.ours(domain)(stage.workload(name, *words)))
        return {"program": name, "verified": True, "seconds": result["seconds"]}
    except Failed as failure:
        return {"program": name, "verified": False, "seconds": 0, "why": str(failure)}


def measure(stage):
    for domain in ("verify", "leaver", "finder"):
        stage.daemon.ask("set", "--create", domain, "memory=256M")
    names = [path.name for path in sorted((stage.build / "bin" / "workloads").iterdir()) if path.is_file()]
    rows = [run(stage, "verify", name, *LIMITED.get(name, ())) for name in names if name not in REFUSED]
    rows += [run(stage, "leaver", "leftovers", "--mib", 128, "--look", 0),
             run(stage, "finder", "leftovers", "--mib", 128, "--leave", 0)]
    return {"title": "Programs", "rows": rows, "failed": sum(not row["verified"] for row in rows)}
