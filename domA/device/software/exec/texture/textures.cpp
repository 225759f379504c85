// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/textures.h"

#include <utility>

namespace pegasus::software {

std::uint64_t Textures::add(Texture texture) {
  textures_.emplace(next_, std::move(texture));
  return next_++;
}

std::uint64_t Textures::add_surface(TexelStore store) {
  surfaces_.emplace(next_, std::move(store));
  return next_++;
}

bool Textures::remove(std::uint64_t texture) { return textures_.erase(texture) != 0; }

bool Textures::remove_surface(std::uint64_t surface) { return surfaces_.erase(surface) != 0; }

Texture const* Textures::find(std::uint64_t texture) const {
  auto const it = textures_.find(texture);
  return it == textures_.end() ? nullptr : &it->second;
}

TexelStore const* Textures::find_surface(std::uint64_t surface) const {
  auto const it = surfaces_.find(surface);
  return it == surfaces_.end() ? nullptr : &it->second;
}

} // namespace pegasus::software
