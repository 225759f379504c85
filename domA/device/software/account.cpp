// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/account.h"

#include "domA/device/software/quota.h"

#include <algorithm>
#include <limits>

namespace pegasus::software {

Account::Account(Quota* domain, Quota* accelerator, std::uint32_t seat)
    : domain_(domain), accelerator_(accelerator), seat_(seat) {}

Account::~Account() { (void)settle(0); }

bool Account::settle(std::uint64_t bytes) {
  if (bytes > charged_) {
    const std::uint64_t more = bytes - charged_;
    if (domain_ != nullptr && !domain_->charge(seat_, more)) return false;
    if (accelerator_ != nullptr && !accelerator_->charge(seat_, more)) {
      if (domain_ != nullptr) domain_->release(seat_, more);
      return false;
    }
  } else if (bytes < charged_) {
    if (domain_ != nullptr) domain_->release(seat_, charged_ - bytes);
    if (accelerator_ != nullptr) accelerator_->release(seat_, charged_ - bytes);
  }
  charged_ = bytes;
  return true;
}

std::uint64_t Account::free_bytes() const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (Quota const* quota : {domain_, accelerator_})
    if (quota != nullptr) least = std::min(least, quota->free_bytes());
  return least;
}

} // namespace pegasus::software
