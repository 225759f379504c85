// SPDX-License-Identifier: Apache-2.0
// What services have in common. A service is a list of calls in the form of PEGASUS_CALLS, with numbers of a
// range of 256, and a class with a handler for each:
//
//   Status on(Request const&, Data const&, the objects that its handles name..., Reply&);   SYNC
//   Status on(Request const&, Data const&, the objects that its handles name...);           POSTED
//
// All guest input is validated there before it reaches the device. An object is a pointer; it is nullptr only
// for the default object of its kind. request_handles.inc tells which handles a request has.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"

#include <cstring>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>

namespace pegasus::avcpu {

inline constexpr unsigned calls_of_service = 256;

// What a call does without the device. A new context gets its memory, and a module its code, from the driver:
// what the device does for that is short.
enum class HostWork {
  none,       // it needs the device
  brief,      // it needs no device
  makes_code, // the same, and the driver may make code
  takes_long, // the same, perhaps for seconds: others should have the device meanwhile
};

template <class Request> struct HandlesOf;

// `Handlers` derives from it, and has: number, the service's; execute(), made of PEGASUS_EXECUTE; on().
template <class Handlers> class Service {
public:
  explicit Service(Objects& objects) : all_(objects) {}

  // After an unfinished result of this service.
  [[nodiscard]] CallResult resume(device::TimeSlice const& slice) {
    return posted(all_.context().resume(slice));
  }
  [[nodiscard]] static constexpr HostWork host_work(std::uint16_t) { return HostWork::none; }
  // What must be waited for before the call, and is not to be metered. Returns a result if that failed.
  [[nodiscard]] std::optional<CallResult> finish_earlier_work(pegasus_request const&) { return std::nullopt; }
  void add_to(Holdings&) const {} // what it counts itself
  // A call ran out of memory: what it has collected is not needed any more.
  void abandon() {}

  // Finds what the request's handles name, then calls its handler.
  template <class Request, class... Reply>
  Status resolve_and_run(Request const& request, Data const& data, Reply&... reply) {
    auto const run = [&](auto... found) {
      return (found.has_value() && ...) ? handlers().on(request, data, *found..., reply...)
                                        : Status::invalid_handle;
    };
    return std::apply([&](auto... handles) { return run(all_.find(handles)...); },
                      HandlesOf<Request>::in(request));
  }

protected:
  template <class Request, class Reply>
  CallResult run_sync(pegasus_request const& request, Data const& data, bool tells_of_posted_calls) {
    static_assert(sizeof(Reply) <= PEGASUS_REPLY_BODY && std::is_trivially_copyable_v<Reply>);
    Request const decoded = decode<Request>(request);
    Reply reply{};
    CallResult result;
    result.expected = true;
    result.status = guarded([&] { return resolve_and_run(decoded, data, reply); });
    if (tells_of_posted_calls && result.status == Status::success) result.status = all_.take_failure();
    result.flags = reply_flags();
    std::memcpy(result.body, &reply, sizeof reply);
    return result;
  }

  template <class Request> CallResult run_posted(pegasus_request const& request, Data data) {
    Request const decoded = decode<Request>(request);
    data.inline_bytes = std::span(reinterpret_cast<std::byte const*>(request.body), sizeof request.body)
                            .subspan(sizeof decoded);
    return posted(guarded([&] { return resolve_and_run(decoded, data); }));
  }

  CallResult posted(Status status) { // handles the status of a posted call
    if (status == Status::not_ready) return {.unfinished = true};
    if (status != Status::success) all_.failed(status);
    return {};
  }

  [[nodiscard]] std::uint32_t reply_flags() const {
    return all_.context().output_pending() ? std::uint32_t{PEGASUS_REPLY_OUTPUT_PENDING} : 0u;
  }

  template <class Run> Status guarded(Run run) {
    try {
      return run();
    } catch (std::bad_alloc const&) {
      handlers().abandon();
      return Status::out_of_memory;
    }
  }

private:
  Handlers& handlers() { return static_cast<Handlers&>(*this); }
  template <class Request> static Request decode(pegasus_request const& request) {
    static_assert(sizeof(Request) <= PEGASUS_REQUEST_BODY && std::is_trivially_copyable_v<Request>);
    Request decoded;
    std::memcpy(&decoded, request.body, sizeof decoded);
    return decoded;
  }

  Objects& all_;
};

// The cases of execute()'s switch over request.call, for a list of calls.
#define PEGASUS_EXECUTE(number, NAME, stem, kind, status, handles)                                           \
  case number:                                                                                               \
    return PEGASUS_EXECUTE_##kind(stem, status);
#define PEGASUS_EXECUTE_SYNC(stem, status)                                                                   \
  run_sync<pegasus_##stem##_request, pegasus_##stem##_reply>(request, data, PEGASUS_TELLS_##status)
#define PEGASUS_EXECUTE_POSTED(stem, status) run_posted<pegasus_##stem##_request>(request, data)
#define PEGASUS_TELLS_OWN false
#define PEGASUS_TELLS_ALL true

// A newer guest: both sides stay in step whether or not it waits for a reply.
inline CallResult unknown_call() { return {.expected = true, .status = Status::not_supported}; }

} // namespace pegasus::avcpu
