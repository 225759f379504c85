# SPDX-License-Identifier: Apache-2.0
"""The programs and libraries of the last release, built from the commit that tests/abi/releases names."""
import json
import shutil
import subprocess
import unittest
from pathlib import Path

from support import BUILD, HERE

ROOT = HERE.parents[1]
RELEASES = ROOT / "tests" / "abi" / "releases"


def release():
    """What the last release's description says."""
    return json.loads(max(RELEASES.glob("*.json"), key=lambda path: int(path.stem)).read_text())


class NoHistory(AssertionError):
    """The release's commit is not in this repository, as in a shallow clone."""


def take_sources(root, commit, target):
    """Unpacks the tree of `commit`. NoHistory with a remedy if the history of `root` lacks it."""
    git = ["git", "-C", root, "-c", f"safe.directory={root}"]
    if subprocess.run([*git, "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True).returncode != 0:
        raise NoHistory(f"the last release is built from commit {commit}, which {root} does not have: run `git fetch "
                        "--unshallow` there, or clone the whole repository")
    shutil.rmtree(target.parent, ignore_errors=True)  # and what was built of an older one
    target.mkdir(parents=True)
    archive = subprocess.run([*git, "archive", commit], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", target], input=archive, check=True)


def build(*targets):
    """The build directory with these targets. Where there is no history the test is skipped, and says so."""
    commit = release()["commit"]
    tree = BUILD / "previous-release" / commit[:12]
    unpacked = tree / "build" / "unpacked"
    if not unpacked.exists():
        try:
            take_sources(ROOT, commit, tree)
        except NoHistory as reason:
            raise unittest.SkipTest(str(reason)) from None
        unpacked.parent.mkdir()
        unpacked.touch()
    made = subprocess.run([tree / "ci" / "build", *targets], capture_output=True, text=True)
    if made.returncode != 0:
        raise AssertionError(f"the last release does not build: {made.stdout[-2000:]}{made.stderr[-4000:]}")
    return tree / "build"
