// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/kernel_name.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace pegasus::ctl::doctor {

constexpr std::size_t most_of_a_name = 100;

std::string readable_kernel(std::string const& name) {
  bool const is_mangled = name.starts_with("_Z"); // "b" alone is a type's mangled name
  std::unique_ptr<char, decltype(&std::free)> const text(
      is_mangled ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr) : nullptr, &std::free);
  std::string readable = text != nullptr ? text.get() : name;
  if (readable.size() > most_of_a_name) readable.replace(most_of_a_name - 3, std::string::npos, "...");
  return readable;
}

} // namespace pegasus::ctl::doctor
