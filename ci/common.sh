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

# --help prints the comment under the script's licence line.
help_of() { sed -n '3,/^[^#]/{/^# \{0,1\}/s///p}' "$1"; }

# The root of the toolkit that an nvcc belongs to: nvcc in PATH may be a link, or a script that starts the real one.
root_of_nvcc() {
  local top
  top=$("$1" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  [[ -n $top ]] && readlink -e "$top"
}

# The toolkit's root: where the user says, then what is in PATH, then the usual places. Fails when there is none.
find_cuda() {
  local nvcc
  for nvcc in "${CUDA_HOME:-/nowhere}/bin/nvcc" "$(command -v nvcc)" /usr/local/cuda{,-13.0}/bin/nvcc; do
    if [[ -x $nvcc ]] && root_of_nvcc "$nvcc"; then
      return
    fi
  done
  return 1
}

cuda_missing="the CUDA Toolkit 13.0 was not found (looked for \$CUDA_HOME/bin/nvcc, nvcc in PATH, /usr/local/cuda/bin/nvcc \
and /usr/local/cuda-13.0/bin/nvcc): install it from https://developer.nvidia.com/cuda-downloads (the toolkit alone; no \
GPU and no driver is needed) or set CUDA_HOME to where it is"
