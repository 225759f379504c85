// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that lies. Any call may fail with any CUresult, or succeed with results that are null, absurd or
// another allocation's; events stay undone for as long as it likes; an error may stick. It ends the program if it is
// used in a way for which no answer of a driver is an excuse: an object that it did not make or that is destroyed
// already, a range that it did not give, memory that may still hold its last owner's data.
//
// Input: 8 bits for each lie. Between lies, and when they run out, it is honest.
#pragma once

#include "domA/device/cuda/driver.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace pegasus::fuzz {

class LyingDriver {
public:
  explicit LyingDriver(Input lies); // only one at a time
  ~LyingDriver();
  LyingDriver(LyingDriver const&) = delete;
  LyingDriver& operator=(LyingDriver const&) = delete;

  [[nodiscard]] cuda::Driver const& table() const { return table_; }
  // What the program allocated and did not free.
  [[nodiscard]] std::uint64_t allocated_bytes() const;
  // Returns true if nothing else in the context has device memory: no module, no changed limit.
  [[nodiscard]] bool only_allocations() const { return modules.empty() && !limit_set; }
  // No stream waits for a word that nobody will write, once a call has returned.
  void check_holds() const;
  // Time passes with each call, and while the worker sleeps.
  [[nodiscard]] device::Nanos now() const { return now_; }
  void sleep(device::Nanos time) { now_ += time; }
  // Of a killed worker: its objects end with it.
  void forget_all();

  // From here on for the functions of the driver (lying_driver*.cpp).

  // The objects of one kind that exist. A null handle is one that the driver gave in error.
  template <class Handle> class Objects {
  public:
    CUresult make(LyingDriver& driver, Handle& made) {
      CUresult const result = driver.says();
      if (result != CUDA_SUCCESS && !driver.odd) return result;
      auto const number = result != CUDA_SUCCESS ? std::uintptr_t{0xbad0} // written before it failed
                          : driver.odd           ? 0
                                                 : 0x10000 + 16 * ++driver.made_;
      made = reinterpret_cast<Handle>(number);
      if (result == CUDA_SUCCESS && !driver.odd) live_.insert(made);
      return result;
    }
    // Returns false for a null handle.
    [[nodiscard]] bool known(Handle handle) const {
      require(handle == nullptr || live_.contains(handle));
      return handle != nullptr;
    }
    CUresult destroy(LyingDriver& driver, Handle handle) {
      if (!known(handle)) return CUDA_ERROR_INVALID_HANDLE;
      live_.erase(handle); // even if it reports an error: nobody destroys an object twice
      return driver.says();
    }
    [[nodiscard]] bool empty() const { return live_.empty(); }
    [[nodiscard]] std::size_t size() const { return live_.size(); }
    void clear() { live_.clear(); }

  private:
    std::set<Handle> live_;
  };

  // Memory that the driver gave.
  struct Given {
    CUdeviceptr base = 0;
    std::uint64_t bytes = 0;
    CUmodule module = nullptr;  // it is a variable of this one
    bool allocated = false;     // otherwise it is a variable
    std::uint64_t scrubbed = 0; // the number of the fill that zeroes it; 0: none yet
  };
  // Memory of cuMemCreate, and where it is mapped.
  struct Physical {
    std::uint64_t bytes = 0;
    CUdeviceptr mapped_at = 0;
    std::uint64_t mapped_bytes = 0; // 0: nowhere
    bool accessible = false;
    std::uint64_t zeroed = 0;   // its first bytes, that a fill zeroes ...
    std::uint64_t scrubbed = 0; // ... with this number
  };
  struct Hold {
    std::uint32_t const* word;
    std::uint32_t awaited;
  };

  CUresult says();                      // the result of a call that needs no context
  CUresult says_in_context();           // of one that does
  [[nodiscard]] std::uint64_t number(); // an odd one
  [[nodiscard]] bool is_stalled();      // an event or a stream is not done
  [[nodiscard]] bool is_stream(CUstream stream) const;
  // The call would access these bytes, in the order of the stream. `fills`: with zeroes, all of it.
  void check_range(CUdeviceptr address, std::uint64_t bytes, CUstream stream, bool zeroes = false);
  // Returns false if it is not all mapped and accessible.
  [[nodiscard]] bool is_mapped(CUdeviceptr address, std::uint64_t bytes, CUstream stream, bool zeroes);
  // Null, an allocation's own address, one within it, or the end of all addresses.
  [[nodiscard]] CUdeviceptr odd_address();
  void check_rows(CUdeviceptr address, std::uint64_t pitch, std::uint64_t row_bytes, std::uint64_t rows,
                  CUstream stream);
  void check_all_scrubbed(CUstream stream) const; // a kernel may access any of it
  [[nodiscard]] bool overlaps(CUdeviceptr base, std::uint64_t bytes) const;
  void stream_done(CUstream stream) { done = std::max(done, scrubs[stream]); }
  void event_done(CUevent event) { done = std::max(done, covers[event]); }

  bool odd = false; // the results of the call beside its CUresult are to be odd
  bool have_context = false, limit_set = false;
  Objects<CUcontext> contexts;
  Objects<CUstream> streams;
  Objects<CUevent> events;
  Objects<CUmodule> modules;
  Objects<CUlinkState> links;
  std::map<CUfunction, CUmodule> functions;
  std::vector<Given> given;
  std::vector<std::pair<CUdeviceptr, std::uint64_t>> reservations;
  CUdeviceptr reserved_end = 0;
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  CUmemGenericAllocationHandle last_physical = 0;
  std::set<void const*> pinned;
  std::map<void*, std::uint32_t*> words; // host memory that the device reads
  std::vector<Hold> holds;
  std::map<CUlimit, std::size_t> limits;
  // The order of fills that zero fresh memory, and of what comes after them.
  std::uint64_t fills = 0, done = 0;
  std::map<CUstream, std::uint64_t> scrubs; // the last one before any further work of the stream
  std::map<CUevent, std::uint64_t> covers;

private:
  static void add_objects(cuda::Driver& table);
  static void add_work(cuda::Driver& table);
  static void add_memory(cuda::Driver& table);
  static void add_mappings(cuda::Driver& table);
  static void add_modules(cuda::Driver& table);

  Input lies_;
  cuda::Driver table_;
  CUresult sticky_ = CUDA_SUCCESS;
  device::Nanos now_{1};
  unsigned honest_ = 0;  // calls until the next lie
  unsigned stalled_ = 0; // times that an event is not done
  std::uintptr_t made_ = 0;
};

// The one that exists: the driver's functions have no argument for it.
[[nodiscard]] LyingDriver& lying();
[[nodiscard]] bool lying_driver_exists();

// Any CUresult of cuda.h but success.
[[nodiscard]] CUresult any_error(std::uint8_t choice);
[[nodiscard]] bool is_known_result(int result);

} // namespace pegasus::fuzz
