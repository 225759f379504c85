// SPDX-License-Identifier: Apache-2.0
// What tests' precompiled header holds (Pegasus.cmake).
#include <catch2/catch.hpp>
