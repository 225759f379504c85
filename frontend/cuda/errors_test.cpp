// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/errors.h"

#include <catch2/catch.hpp>

#include <string>

namespace {

std::string name_of(int value) {
  char const* text = "untouched";
  cuGetErrorName(static_cast<CUresult>(value), &text);
  return text == nullptr ? "(null)" : text;
}

std::string text_of(int value) {
  char const* text = "untouched";
  cuGetErrorString(static_cast<CUresult>(value), &text);
  return text == nullptr ? "(null)" : text;
}

} // namespace

TEST_CASE("names and texts of errors") {
  CHECK(name_of(0) == "CUDA_SUCCESS");
  CHECK(text_of(0) == "no error");
  CHECK(name_of(1) == "CUDA_ERROR_INVALID_VALUE");
  CHECK(text_of(1) == "invalid argument");
  CHECK(name_of(700) == "CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(text_of(700) == "an illegal memory access was encountered");
  CHECK(name_of(801) == "CUDA_ERROR_NOT_SUPPORTED");
  CHECK(name_of(999) == "CUDA_ERROR_UNKNOWN");
}

TEST_CASE("an unknown code returns a null string and an error") {
  char const* text = "untouched";
  CHECK(cuGetErrorName(static_cast<CUresult>(998), &text) == CUDA_ERROR_INVALID_VALUE);
  CHECK(text == nullptr);
  CHECK(name_of(1000) == "(null)");
  CHECK(text_of(9) == "(null)"); // a runtime API code only
  CHECK(cuGetErrorString(CUDA_SUCCESS, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("errors of kernels and of the device are sticky, errors of arguments are not") {
  using pegasus::driver::is_sticky;
  for (int value : {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911})
    CHECK(is_sticky(static_cast<CUresult>(value)));
  for (int value : {0, 1, 2, 3, 201, 400, 500, 600, 701, 720, 801})
    CHECK_FALSE(is_sticky(static_cast<CUresult>(value)));
}
