// SPDX-License-Identifier: Apache-2.0
// The findings about an object's device code: pure.
#pragma once

#include "ctl/doctor/findings.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ctl::doctor {

// `is_needed`: the program cannot do without it, since no other object has device code that runs.
[[nodiscard]] std::vector<Finding> image_findings(ImageFacts const& facts, std::string const& object,
                                                  bool is_needed, bool each_kernel);

// Whether the software accelerator can run something of it.
[[nodiscard]] bool has_usable_code(ImageFacts const& facts);

// "1 image", "3 images".
[[nodiscard]] std::string counted(std::size_t number, std::string_view what);

} // namespace pegasus::ctl::doctor
