// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: the device's own handles, and what they were made of.
#pragma once

#include "frontend/cuda/context.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace pegasus::driver {

struct TextureObject {
  Context* context = nullptr;
  bool surface = false;
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};
  std::optional<CUDA_RESOURCE_VIEW_DESC> view = std::nullopt;
};

// By handle. Thread-safe.
class TextureTable {
public:
  // false: the worker gave a handle that is in use.
  [[nodiscard]] bool insert(std::uint64_t handle, TextureObject const& object);
  [[nodiscard]] std::optional<TextureObject> find(std::uint64_t handle, bool surface) const;
  [[nodiscard]] bool erase(std::uint64_t handle, bool surface); // false: there is none
  void destroy_all_of(Channel& channel, Context const& context);

private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, TextureObject> objects_;
};

TextureTable& textures();

} // namespace pegasus::driver
