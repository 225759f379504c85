// SPDX-License-Identifier: Apache-2.0
// The kernel of client_earlier_release.py.
extern "C" __global__ void add(int* values, int what) { values[threadIdx.x] += what; }
