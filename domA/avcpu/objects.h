// SPDX-License-Identifier: Apache-2.0
// What a guest task has on its device, for all services: the context, the objects that it has handles of, and
// the first failure of its posted calls.
#pragma once

#include "domA/avcpu/handle_kinds.h"
#include "domA/avcpu/handle_table.h"

#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace pegasus::avcpu {

struct Holdings { // what the guest has made, and not destroyed
  std::uint64_t memory_bytes;
  std::size_t modules, functions, streams, events, graphs;
  std::size_t graph_bytes;
};

class Objects {
public:
  // Makes a new context: at the start and for reset().
  using ContextFactory = std::unique_ptr<device::Context> (*)(void* argument);
  Objects(ContextFactory make_context, void* argument)
      : make_context_(make_context), factory_argument_(argument), context_(make_context(argument)) {}
  ~Objects() { clear(); }
  Objects(Objects const&) = delete;
  Objects& operator=(Objects const&) = delete;

  [[nodiscard]] device::Context& context() const { return *context_; }
  // A new context without objects; the failures of posted calls are forgotten.
  void reset();
  // `then` is called by each reset(), once nothing of the old context is left. It must outlive all resets.
  void on_reset(std::function<void()> then) { on_reset_.push_back(std::move(then)); }

  template <class Object> auto& table() {
    return std::get<HandleTable<typename KindOf<Object>::Stored>>(tables_);
  }
  // Returns nullopt if there is no such object. Of kinds with a default object, 0 is that one, a nullptr.
  template <class Object> std::optional<Object*> find(Handle<Object> handle) {
    if constexpr (KindOf<Object>::zero_is_default)
      if (handle.value == 0) return nullptr;
    auto* const found = table<Object>().find(handle.value);
    return found == nullptr ? std::nullopt : std::optional(object_in(*found));
  }
  // Returns 0, and destroys the object, if the task has as many as it may have.
  template <class Object> std::uint64_t insert(typename KindOf<Object>::Stored stored) {
    return table<Object>().insert(std::move(stored));
  }

  // Without what services count themselves.
  [[nodiscard]] Holdings holdings() const;

  void failed(Status status) {
    if (deferred_ == Status::success) deferred_ = status;
  }
  [[nodiscard]] bool has_failure() const { return deferred_ != Status::success; }
  [[nodiscard]] Status take_failure() { return std::exchange(deferred_, Status::success); }

private:
  template <class T> static T* object_in(std::unique_ptr<T> const& stored) { return stored.get(); }
  static device::Function* object_in(LoadedFunction const& stored) { return stored.function; }
  static Graph* object_in(Graph& stored) { return &stored; }
  template <class Object> [[nodiscard]] std::size_t count() const {
    return std::get<HandleTable<typename KindOf<Object>::Stored>>(tables_).size();
  }
  void clear();

#define PEGASUS_KIND(NAME, Object, Stored, zero_is_default) HandleTable<Stored>,
  struct End {}; // the list ends with a comma
  using Tables = std::tuple<PEGASUS_HANDLE_KINDS(PEGASUS_KIND) End>;
#undef PEGASUS_KIND

  ContextFactory make_context_;
  void* factory_argument_;
  std::unique_ptr<device::Context> context_;
  Tables tables_;
  std::vector<std::function<void()>> on_reset_;
  Status deferred_ = Status::success; // first failure of a posted call, for the next synchronizing one
};

} // namespace pegasus::avcpu
