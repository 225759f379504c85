// SPDX-License-Identifier: Apache-2.0
// Executes one checked request on the task's device context: finds its service by its number.
#pragma once

#include "domA/avcpu/cuda_service.h"
#include "domA/avcpu/service.h"

namespace pegasus::avcpu {

template <class... Services> class ServicesOf {
public:
  using ContextFactory = Objects::ContextFactory;
  ServicesOf(ContextFactory make_context, void* argument)
      : objects_(make_context, argument), services_{(static_cast<void>(sizeof(Services)), objects_)...} {}

  // `arena` is the request's arena range; the guest may change it at any time.
  [[nodiscard]] CallResult execute(pegasus_request const& request, std::span<std::byte> arena,
                                   device::TimeSlice const& slice) {
    running_ = request.call / calls_of_service;
    return with<Services...>(
        running_,
        [&](auto& service) {
          return service.execute(request, {arena, {}, &slice});
        },
        unknown_call);
  }
  // After an unfinished result.
  [[nodiscard]] CallResult resume(device::TimeSlice const& slice) {
    return with<Services...>(
        running_, [&](auto& service) { return service.resume(slice); }, unknown_call);
  }
  [[nodiscard]] static constexpr HostWork host_work(std::uint16_t call) {
    HostWork work = HostWork::none;
    (void)((call / calls_of_service == Services::number && (work = Services::host_work(call), true)) || ...);
    return work;
  }
  // A copy from the device begins when the earlier work of its stream is done: waits for that. Call it before
  // execute() if that is to be metered: a driver that polls uses CPU time while it waits. Returns a result if
  // that work failed; the call is then done.
  [[nodiscard]] std::optional<CallResult> finish_earlier_work(pegasus_request const& request) {
    return with<Services...>(
        request.call / calls_of_service, [&](auto& service) { return service.finish_earlier_work(request); },
        [] { return std::optional<CallResult>(); });
  }

  [[nodiscard]] device::Context& context() const { return objects_.context(); }

  using Holdings = avcpu::Holdings;
  [[nodiscard]] Holdings holdings() const {
    Holdings holdings = objects_.holdings();
    (std::get<Services>(services_).add_to(holdings), ...);
    return holdings;
  }

private:
  // Returns use(the service with this number), or, if there is none, otherwise().
  template <class First, class... Rest> auto with(unsigned number, auto use, auto otherwise) {
    if (number == First::number) return use(std::get<First>(services_));
    if constexpr (sizeof...(Rest) > 0)
      return with<Rest...>(number, use, otherwise);
    else
      return otherwise();
  }

  Objects objects_;
  std::tuple<Services...> services_;
  unsigned running_ = 0; // the service of the call that was executed last
};

// The list of services.
using CallHandler = ServicesOf<CudaService>;

} // namespace pegasus::avcpu
