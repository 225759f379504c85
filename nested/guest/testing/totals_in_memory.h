// SPDX-License-Identifier: Apache-2.0
// A guest's totals without a pegasusd. The owner writes the pages.
#pragma once

#include "frontend/protocol/totals.h"
#include "frontend/transport/transport.h"

#include <functional>

namespace pegasus::nested::testing {

class TotalsInMemory final : public frontend::Transport {
public:
  pegasus_totals pages{};
  // Called before each copy of them: may change them, as pegasusd may at any time. Returns true if pegasusd is gone.
  std::function<bool()> before_copy = [] { return false; };

  [[nodiscard]] std::byte* memory() const override {
    return const_cast<std::byte*>(reinterpret_cast<std::byte const*>(&pages));
  }
  [[nodiscard]] pegasus_connect_reply const& connect_reply() const override { return connect_reply_; }
  void wake(std::uint32_t*) override {}
  void sleep(std::uint32_t*, std::uint32_t, std::uint64_t) override {}
  void leave() override {}
  void abandon() override {}
  [[nodiscard]] bool hung_up() override { return before_copy(); }

private:
  pegasus_connect_reply connect_reply_{};
};

} // namespace pegasus::nested::testing
