# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: where the tree is, how things are said, where the CUDA Toolkit is.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What can be found again by its content, also from another clone.
cache=${PEGASUS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/pegasus}

say() { printf '%s\n' "$*" >&2; }

die() {
  say "${0##*/}: $*"
  exit 1
}

# Reads lines `WHAT PERCENT` and says every tenth of the way, for what is not a terminal or shows no progress of its own.
progress() {
  local what percent last= next=0
  while read -r what percent; do
    [[ $what == "$last" ]] || next=0
    last=$what
    if ((percent >= next)); then
      say "$what: $percent %"
      next=$((percent - percent % 10 + 10))
    fi
  done
}

# alone_with FILE: until this script and what it started ends, no other one that asks for the same file goes on.
alone_with() {
  mkdir -p "${1%/*}"
  exec {alone}>>"$1"
  flock -n "$alone" && return
  say "${0##*/}: another one is at work here; waiting for its end"
  flock "$alone"
}

# --help prints the comment under the script's licence line.
help_of() { sed -n '3,/^[^#]/{/^# \{0,1\}/s///p}' "$1"; }

# The root of the toolkit that an nvcc belongs to: nvcc in PATH may be a link, or a script that starts the real one.
root_of_nvcc() {
  local top
  top=$("$1" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  [[ -n $top ]] && readlink -e "$top"
}

# Where ci/cuda-toolkit unpacks the toolkit; another directory when another list of packages is wanted.
fetched_toolkit() { printf '%s\n' "$cache/cuda-toolkit-$(cat "$root"/ci/cuda-toolkit*.txt | sha256sum | cut -c -12)"; }

cuda_release() { "$1/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

# The toolkit's root: where the user says, whatever is there; else the first of release 13 in PATH, in the usual places,
# and where it is fetched to. Fails when there is none.
find_cuda() {
  local nvcc found
  if [[ ${CUDA_HOME:-} ]]; then
    root_of_nvcc "$CUDA_HOME/bin/nvcc"
    return
  fi
  for nvcc in "$(command -v nvcc)" /usr/local/cuda{,-13.0}/bin/nvcc; do
    if [[ -x $nvcc ]] && found=$(root_of_nvcc "$nvcc") && [[ $(cuda_release "$found") == 13.* ]]; then
      printf '%s\n' "$found"
      return
    fi
  done
  found=$(fetched_toolkit)
  [[ -e $found/.has-cuda-toolkit ]] && printf '%s\n' "$found"
}

cuda_missing="the CUDA Toolkit 13 was not found (looked for \$CUDA_HOME/bin/nvcc if that is set, else for nvcc in PATH, \
/usr/local/cuda/bin/nvcc and /usr/local/cuda-13.0/bin/nvcc): run ci/install-packages, which fetches what is needed of it, or \
set CUDA_HOME to where one is"

# The Debian archive that this machine uses.
debian_archive() {
  local found
  found=$(find /etc/apt/sources.list* -type f -exec cat {} + |
    sed -nE 's/^URIs: *//p; s/^deb (\[[^]]*\] )?([^ ]*) .*/\2/p' | awk '/\/debian\/?$/ && !found++')
  [[ -n $found ]] || die "no Debian archive is in /etc/apt's sources"
  printf '%s\n' "$found"
}
