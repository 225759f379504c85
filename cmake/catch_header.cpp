// SPDX-License-Identifier: Apache-2.0
// CMake requires a program that owns the precompiled header.
int main() {}
