// SPDX-License-Identifier: Apache-2.0
// What one context has charged to its domain's and its accelerator's quota: always both or neither.
#pragma once

#include <cstdint>

namespace pegasus::software {

struct Quota;

class Account {
public:
  Account(Quota* domain, Quota* accelerator, std::uint32_t seat); // either quota may be null: unlimited
  ~Account();                                                     // returns everything
  Account(Account const&) = delete;
  Account& operator=(Account const&) = delete;

  // Makes the charge equal to `bytes`. false: a quota refused the growth; the charge is as before.
  [[nodiscard]] bool settle(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t charged() const { return charged_; }
  [[nodiscard]] std::uint64_t free_bytes() const; // the least that either quota has left

private:
  Quota* domain_;
  Quota* accelerator_;
  std::uint32_t seat_;
  std::uint64_t charged_ = 0;
};

} // namespace pegasus::software
