// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/image.h"

#include "domA/device/image/architectures.h"
#include "domA/device/image/bytes.h"
#include "domA/device/image/cubin.h"
#include "domA/device/image/fatbin.h"
#include "domA/device/image/image_set.h"
#include "domA/device/image/ptx_text.h"

#include <algorithm>
#include <fmt/core.h>
#include <new>
#include <optional>

namespace pegasus::image {
namespace {

constexpr std::uint32_t kind_one = 1;
constexpr std::uint32_t kind_set = 2;
constexpr std::uint32_t wrapper_magic = 0x466243b1; // __fatBinC_Wrapper_t, which contains pointers

tl::unexpected<Failure> invalid(std::string message) {
  return tl::unexpected(Failure{device::Status::invalid_image, std::move(message)});
}

// Collects the texts of one image after another, and the architectures of all its code.
class Collector {
public:
  explicit Collector(std::uint32_t compute_capability) : compute_capability_(compute_capability) {}

  [[nodiscard]] tl::expected<void, Failure> add(std::span<std::byte const> image) {
    if (image.size() >= 4 && read<std::uint32_t>(image, 0) == fatbin_magic) return add_fatbin(image);
    if (is_elf(image)) return add_elf(image);
    return add_text(image);
  }

  [[nodiscard]] tl::expected<std::vector<std::string>, Failure> finish() {
    if (texts_.empty()) return tl::unexpected(unusable_.unusable(compute_capability_));
    return std::move(texts_);
  }

private:
  [[nodiscard]] tl::expected<void, Failure> take(std::size_t bytes) {
    if (bytes > max_plain_bytes - taken_)
      return invalid(fmt::format("the PTX of this image is longer than {} bytes in all", max_plain_bytes));
    taken_ += bytes;
    return {};
  }

  tl::expected<void, Failure> add_fatbin(std::span<std::byte const> image) {
    auto const fatbin = read_fatbin(image, compute_capability_);
    if (!fatbin) return tl::unexpected(fatbin.error());
    unusable_.add(fatbin->found);
    if (!fatbin->best) return {};
    FatbinEntry const& entry = *fatbin->best;
    if (auto const room = take(entry.plain_bytes); !room) return room;
    auto text = decompress(entry.compression, entry.data, entry.plain_bytes);
    if (!text)
      return invalid(
          fmt::format("the compressed PTX for compute_{} in the fatbin is damaged", entry.architecture));
    if (std::size_t const end = text->find('\0'); end != std::string::npos) text->resize(end); // padding
    texts_.push_back(std::move(*text));
    return {};
  }

  tl::expected<void, Failure> add_elf(std::span<std::byte const> image) {
    std::uint32_t const architecture = cubin_architecture(image);
    if (architecture == 0)
      return invalid(
          "the image is an ELF file, but not one with code for an NVIDIA GPU: pass a fatbin or PTX");
    unusable_.machine.insert(fmt::format("sm_{}", architecture));
    std::string_view const ptx = ptx_of_cubin(image);
    return ptx.empty() ? tl::expected<void, Failure>() : add_text(std::as_bytes(std::span(ptx)));
  }

  tl::expected<void, Failure> add_text(std::span<std::byte const> image) {
    if (image.size() >= 4 && read<std::uint32_t>(image, 0) == wrapper_magic)
      return invalid("the image is a fatbin's wrapper: pass the fatbin that its data pointer points at");
    std::string_view text = as_text(image);
    text = text.substr(0, text.find('\0'));
    auto const target = target_of_ptx(text);
    if (!target)
      return invalid("the image is neither a fatbin, nor PTX text (which begins with .version), nor a cubin");
    bool const usable = target->exact ? target->architecture == compute_capability_
                                      : target->architecture <= compute_capability_;
    if (!usable) {
      unusable_.ptx.insert(fmt::format("compute_{}{}", target->architecture, target->suffix));
      return {};
    }
    if (auto const room = take(text.size()); !room) return room;
    texts_.emplace_back(text);
    return {};
  }

  std::uint32_t compute_capability_;
  std::uint64_t taken_ = 0;
  std::vector<std::string> texts_;
  Architectures unusable_;
};

tl::expected<std::vector<std::string>, Failure> collect(std::vector<std::span<std::byte const>> const& parts,
                                                        std::uint32_t compute_capability) {
  Collector collector(compute_capability);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (auto const added = collector.add(parts[i]); !added) {
      Failure failure = added.error();
      if (parts.size() > 1)
        failure.message = fmt::format("part {} of {}: {}", i + 1, parts.size(), failure.message);
      return tl::unexpected(std::move(failure));
    }
  return collector.finish();
}

template <class Work> tl::expected<std::vector<std::string>, Failure> within_memory(Work const& work) {
  try {
    return work();
  } catch (std::bad_alloc const&) {
    return tl::unexpected(
        Failure{device::Status::out_of_memory, "not enough memory for the PTX of this image"});
  }
}

} // namespace

tl::expected<std::vector<std::string>, Failure>
ptx_of_parts(std::vector<std::span<std::byte const>> const& parts, std::uint32_t compute_capability) {
  return within_memory([&] { return collect(parts, compute_capability); });
}

tl::expected<std::vector<std::string>, Failure>
ptx_of_image(std::span<std::byte const> image, std::uint32_t image_kind, std::uint32_t compute_capability) {
  return within_memory([&]() -> tl::expected<std::vector<std::string>, Failure> {
    if (image_kind == kind_one) return collect({image}, compute_capability);
    if (image_kind != kind_set)
      return invalid(
          fmt::format("an image of the unknown kind {}: 1 (one image) and 2 (a set) are valid", image_kind));
    auto const parts = parts_of_set(image);
    if (!parts) return tl::unexpected(parts.error());
    return collect(*parts, compute_capability);
  });
}

std::optional<std::string> ptx_to_compile(std::span<std::byte const> image,
                                          std::uint32_t compute_capability) {
  if (is_elf(image)) return std::nullopt;
  if (image.size() >= 4 && read<std::uint32_t>(image, 0) == fatbin_magic) {
    auto const entries = entries_for(image, compute_capability);
    if (!entries || !std::ranges::all_of(*entries, &FatbinEntry::is_ptx)) return std::nullopt;
  }
  auto texts = ptx_of_image(image, kind_one, compute_capability);
  return texts && texts->size() == 1 ? std::optional(std::move(texts->front())) : std::nullopt;
}

} // namespace pegasus::image
