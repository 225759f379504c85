// SPDX-License-Identifier: Apache-2.0
// The ranges of device addresses that one task may name: its program's allocations, and what belongs to its modules
// and kernels. An address from a guest is checked here before anything else sees it: a driver would also accept a host
// address.
#pragma once

#include "domA/device/device.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace pegasus::memory {

enum class Owner : std::uint8_t {
  program, // allocated by it, and it may free it
  task,    // a module's variable, a heap: comes and goes with what it belongs to
  mapping, // mapped and accessible: entered, joined and cut by mappings.h
};

enum class Place : std::uint8_t {
  device,
  host, // stays where it is when the task is evicted
};

class Ranges {
public:
  // `charged`: bytes of device memory that count for the task as long as the range exists. Returns false if nobody who
  // works would give it: it is at no address, or overlaps another range. The program's own replaces the task's, which
  // nobody frees.
  [[nodiscard]] bool add(device::Range range, Owner owner, std::uint64_t charged,
                         Place place = Place::device);
  void remove(device::Address base, Owner owner); // nothing happens if it has none there

  // bytes == 0: the owner has no range that begins there.
  [[nodiscard]] device::Range of(device::Address base, Owner owner) const;
  // bytes == 0: no range contains the address.
  [[nodiscard]] device::Range containing(device::Address address) const;
  // The range nearest to an address that is in none; bytes == 0: there is no range at all.
  [[nodiscard]] device::Range nearest(device::Address address) const;
  [[nodiscard]] bool contain(device::Rect const& rect) const; // every byte of it, in one range
  [[nodiscard]] std::uint64_t charged() const { return charged_; }
  struct Charged {
    device::Range range;
    std::uint64_t charged;
  };
  [[nodiscard]] std::vector<Charged> on_device() const; // by address

private:
  struct Entry {
    std::uint64_t bytes;
    std::uint64_t charged;
    Owner owner;
    Place place;
  };
  using Entries = std::map<device::Address, Entry>;
  [[nodiscard]] Entries::iterator first_behind(device::Address address); // the first that ends behind it
  Entries::iterator erase(Entries::iterator at);

  Entries entries_;
  std::uint64_t charged_ = 0;
};

} // namespace pegasus::memory
