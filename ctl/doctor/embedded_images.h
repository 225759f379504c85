// SPDX-License-Identifier: Apache-2.0
// The device code in a program's or library's file: what its start-up code gives to __cudaRegisterFatBinary. nvcc puts
// wrappers (fatbinary_section.h of the toolkit) into section .nvFatBinSegment: u32 magic, u32 version, the address of a
// fatbin, another address. Version 1 is one unit and its image, unless the fatbin is in section __nv_relfatbin: then the
// unit is part of a device-linked program (-rdc=true). Version 2 is what the device linker made of those units; they form
// one image with it, whose list the start-up code fills in (bin/crt/link.stub of the toolkit). nvcc 13 links a version 2 into
// each program; without such units nothing uses it. The file is untrusted.
#pragma once

#include "frontend/relink/elf_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::ctl::doctor {

// The fatbins of one image, in the order in which the runtime gives them to the driver. Empty: it is damaged, or larger
// than any program's.
struct EmbeddedImage {
  std::vector<std::string> fatbins;
  // False: an object with several device-linked programs, of which the file does not say which unit is in which.
  bool exact = true;
};

class EmbeddedImages {
public:
  explicit EmbeddedImages(relink::ElfFile const& file); // must outlive this object

  [[nodiscard]] std::size_t count() const { return images_.size(); }
  [[nodiscard]] EmbeddedImage image(std::size_t index) const;

private:
  // The address that is stored at one; 0: nothing is there.
  [[nodiscard]] std::uint64_t pointer_at(std::uint64_t address) const;
  [[nodiscard]] std::string fatbin_at(std::uint64_t address) const;

  relink::ElfFile const& file_;
  std::vector<relink::Pointer> pointers_;
  std::vector<std::vector<std::uint64_t>> images_; // the addresses of each one's fatbins
  std::size_t device_links_ = 0;
};

} // namespace pegasus::ctl::doctor
