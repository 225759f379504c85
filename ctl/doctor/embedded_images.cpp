// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/embedded_images.h"

#include "domA/device/image/fatbin.h"
#include "domA/device/image/image_set.h"

#include <algorithm>
#include <cstring>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::size_t wrapper_bytes = 24;
constexpr std::uint64_t most_wrappers = 65536;
constexpr std::uint64_t most_image_bytes = std::uint64_t{1} << 30; // the largest seen has a twentieth of it

struct FatbinHeader {
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t body_bytes = 0;
};

template <class T> T number_at(std::string const& bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

} // namespace

EmbeddedImages::EmbeddedImages(relink::ElfFile const& file) : file_(file) {
  relink::Section const section = file.section(".nvFatBinSegment", most_wrappers * wrapper_bytes);
  if (section.bytes.empty()) return;
  relink::Section const units = file.section("__nv_relfatbin", 0);
  pointers_ = file.pointers();
  std::vector<std::uint64_t> linked, linked_units;
  for (std::size_t at = 0; at + wrapper_bytes <= section.bytes.size(); at += wrapper_bytes) {
    if (number_at<std::uint32_t>(section.bytes, at) != wrapper_magic) continue;
    std::uint64_t const fatbin = pointer_at(section.address + at + 8);
    if (number_at<std::uint32_t>(section.bytes, at + 4) >= 2)
      linked.push_back(fatbin);
    else if (fatbin - units.address < units.size) // unsigned: a smaller address is not less
      linked_units.push_back(fatbin);
    else
      images_.push_back({fatbin});
  }
  device_links_ = linked.size();
  if (linked_units.empty() || linked_units.size() + linked.size() > image::image_set_most_parts) return;
  linked.insert(linked.end(), linked_units.begin(), linked_units.end());
  images_.push_back(std::move(linked));
}

std::uint64_t EmbeddedImages::pointer_at(std::uint64_t address) const {
  auto const found = std::ranges::lower_bound(pointers_, address, {}, &relink::Pointer::address);
  if (found != pointers_.end() && found->address == address) return found->target;
  return number_at<std::uint64_t>(file_.at_address(address, sizeof address), 0);
}

std::string EmbeddedImages::fatbin_at(std::uint64_t address) const {
  std::string const start = file_.at_address(address, sizeof(FatbinHeader));
  auto const header = number_at<FatbinHeader>(start, 0);
  if (header.magic != image::fatbin_magic || header.body_bytes > most_image_bytes) return {};
  std::uint64_t const bytes = header.header_bytes + header.body_bytes;
  std::string fatbin = file_.at_address(address, bytes);
  return fatbin.size() == bytes ? fatbin : std::string();
}

EmbeddedImage EmbeddedImages::image(std::size_t index) const {
  EmbeddedImage image{.fatbins = {}, .exact = images_[index].size() == 1 || device_links_ == 1};
  std::uint64_t total = 0;
  for (std::uint64_t const address : images_[index]) {
    image.fatbins.push_back(fatbin_at(address));
    total += image.fatbins.back().size();
    if (image.fatbins.back().empty() || total > most_image_bytes) {
      image.fatbins.clear();
      break;
    }
  }
  return image;
}

} // namespace pegasus::ctl::doctor
