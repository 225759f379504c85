// SPDX-License-Identifier: Apache-2.0
#include "frontend/jit/link.h"

#include "frontend/cuda/image.h"
#include "frontend/protocol/calls.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace pegasus::jit {
namespace {

// The parts of an earlier result, which recognise() has checked.
std::vector<std::span<std::byte const>> parts_of(std::span<std::byte const> set) {
  pegasus_image_set header{};
  std::memcpy(&header, set.data(), sizeof header);
  std::size_t offset = sizeof header + header.parts * std::size_t{8};
  std::vector<std::span<std::byte const>> parts;
  for (std::uint32_t i = 0; i < header.parts; ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, set.data() + sizeof header + i * std::size_t{8}, sizeof bytes);
    parts.push_back(set.subspan(offset, bytes));
    offset += (bytes + 7) / 8 * 8;
  }
  return parts;
}

} // namespace

LinkOptions::LinkOptions(std::span<char const* const> options) {
  bool makes_ptx = false;
  for (std::string_view const option : options) {
    for_machine_code |= option.starts_with("-arch=sm_");
    optimises |= option == "-lto";
    makes_ptx |= option == "-ptx";
  }
  for_machine_code &= !makes_ptx;
}

Form form_of(std::span<std::byte const> image) {
  driver::Image found;
  if (driver::recognise(image.data(), found, image.size()) != CUDA_SUCCESS) return Form::other;
  if (found.kind == 2) return Form::linked;
  Elf64_Ehdr header{};
  std::memcpy(&header, image.data(), std::min(image.size(), sizeof header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
    return header.e_machine == EM_CUDA ? Form::machine_code : Form::other;
  std::uint32_t magic = 0;
  std::memcpy(&magic, image.data(), std::min(image.size(), sizeof magic));
  return magic == driver::fatbin_magic ? Form::fatbin : Form::ptx;
}

bool Link::add(std::span<std::byte const> image) {
  driver::Image found;
  if (form_of(image) == Form::other || driver::recognise(image.data(), found, image.size()) != CUDA_SUCCESS)
    return false;
  std::vector<std::span<std::byte const>> const images =
      found.kind == 2 ? parts_of(found.bytes) : std::vector{found.bytes};
  for (std::span<std::byte const> const one : images)
    parts_.emplace_back(one.begin(), one.end());
  return true;
}

void Link::complete() {
  if (parts_.size() == 1) {
    result_ = parts_.front();
    result_.push_back(std::byte{0});
  } else if (!parts_.empty()) {
    std::vector<std::span<std::byte const>> const parts(parts_.begin(), parts_.end());
    result_ = driver::make_image_set(parts);
  }
  parts_.clear();
}

} // namespace pegasus::jit
