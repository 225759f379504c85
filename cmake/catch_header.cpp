// SPDX-License-Identifier: Apache-2.0
// CMake wants a program that precompiled headers belong to.
int main() {}
