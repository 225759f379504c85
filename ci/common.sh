# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: where the tree is, how things are said, where the CUDA Toolkit is.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "${0##*/}: $*"
  exit 1
}

# --help prints the comment under the script's licence line.
help_of() { sed -n '3,/^[^#]/{/^# \{0,1\}/s///p}' "$1"; }

# The toolkit's root: nvcc in PATH first, then the usual places. Fails when there is none.
find_cuda() {
  local nvcc place
  if nvcc=$(command -v nvcc); then
    # nvcc may be a link or a wrapper beside the toolkit; the real file's directory is TOOLKIT/bin.
    nvcc=$(readlink -f "$nvcc")
    printf '%s\n' "${nvcc%/bin/nvcc}"
    return
  fi
  for place in "${CUDA_HOME:-}" /usr/local/cuda /usr/local/cuda-13.0; do
    if [[ -n $place && -x $place/bin/nvcc ]]; then
      printf '%s\n' "$place"
      return
    fi
  done
  return 1
}

cuda_missing="the CUDA Toolkit 13.0 was not found (looked for nvcc in PATH, \$CUDA_HOME/bin, /usr/local/cuda/bin and \
/usr/local/cuda-13.0/bin): install it from https://developer.nvidia.com/cuda-downloads (the toolkit alone; no GPU and \
no driver is needed) or set CUDA_HOME to where it is"
