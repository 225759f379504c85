// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/scopes.h"

#include <charconv>

namespace pegasus::ptx {

void Scopes::open() { scopes_.push_back(undo_.size()); }

bool Scopes::declare(std::string_view name, Binding binding) {
  bool const range = binding.kind == Binding::Kind::range;
  binding.depth = depth();
  auto const [at, fresh] = (range ? ranges_ : names_).try_emplace(name, binding);
  if (!fresh && at->second.depth == depth()) return false;
  undo_.push_back({name, range, fresh ? std::nullopt : std::optional(at->second)});
  at->second = binding;
  return true;
}

std::vector<std::pair<std::string_view, Binding>> Scopes::close() {
  std::vector<std::pair<std::string_view, Binding>> gone;
  gone.reserve(undo_.size() - scopes_.back());
  for (; undo_.size() > scopes_.back(); undo_.pop_back()) {
    Hidden const& hidden = undo_.back();
    Names& names = hidden.range ? ranges_ : names_;
    auto const at = names.find(hidden.name);
    gone.emplace_back(at->first, at->second);
    if (hidden.before)
      at->second = *hidden.before;
    else
      names.erase(at);
  }
  scopes_.pop_back();
  return gone;
}

// %r12 may be number 12 of %r<n> or number 2 of %r1<n>: the innermost declaration wins. At most ten splits
// are tried (no range has more than 32-bit numbers).
std::optional<Scopes::Found> Scopes::find(std::string_view name) const {
  std::optional<Found> found;
  if (auto const at = names_.find(name); at != names_.end()) found = Found{at->second, false};
  std::size_t digits = 0;
  while (name.size() > digits + 1 && digits < 10 && name[name.size() - digits - 1] >= '0' &&
         name[name.size() - digits - 1] <= '9')
    ++digits;
  for (std::size_t n = digits; n > 0; --n) {
    std::string_view const number = name.substr(name.size() - n);
    if (n > 1 && number.front() == '0') continue; // %r<9> has %r1 but no %r01
    auto const at = ranges_.find(name.substr(0, name.size() - n));
    if (at == ranges_.end() || (found && !found->out_of_range && found->binding.depth >= at->second.depth))
      continue;
    std::uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    if (value >= at->second.count) {
      if (!found) found = Found{at->second, true};
      continue;
    }
    found = Found{at->second, false};
    found->binding.kind = Binding::Kind::reg;
    found->binding.index += static_cast<std::uint32_t>(value);
    found->binding.count = 1;
  }
  return found;
}

} // namespace pegasus::ptx
