// SPDX-License-Identifier: Apache-2.0
// The checks at the start of every entry point: is CUDA initialised, is a context current, is the
// context still usable.
//
// All CUDA contexts of the process are bookkeeping over the task's one device context (the worker's). An
// error that corrupts it is therefore an error of all of them until the last context is gone.
#pragma once

#include "frontend/channel/channel.h"
#include "frontend/cuda/cuda_api.h"

#include <cstdint>
#include <exception>

namespace pegasus::driver {

using frontend::Channel;

struct Context;

CUresult initialise();
// On failure returns nullptr and sets `status` (before cuInit and in the child of fork():
// CUDA_ERROR_NOT_INITIALIZED).
Channel* open_channel(CUresult& status);
// The calling thread's current context; if it returns nullptr, `status` says why.
Context* current_context(CUresult& status);

// Converts a status from the channel to CUresult; remembers errors that corrupt the device context.
CUresult result(int status);
CUresult sticky_error();
// Counts the device contexts: objects of an older one (modules of libraries, per-thread streams) are gone.
std::uint64_t device_epoch();

// The result of a SYNC call. The reply is valid only if the status is CUDA_SUCCESS.
template <class Request> struct [[nodiscard]] RoundTrip {
  CUresult status;
  frontend::ReplyOf<Request> reply;
};

// Makes a SYNC call; `in` and `out` as in Channel::call.
template <class Request>
RoundTrip<Request> ask(Channel& channel, Request const& request, frontend::Bytes in = {},
                       frontend::WritableBytes out = {}) {
  RoundTrip<Request> trip{};
  trip.status = result(channel.call(request, trip.reply, in, out));
  return trip;
}

// Frees everything the task has on the device, and clears its sticky error.
CUresult reset_device(Channel& channel);

int attribute(Channel const& channel, CUdevice_attribute number);
std::uint64_t next_id();                     // process-wide, never 0, never repeated
void say_once(bool& said, char const* text); // prints one line on stderr, the first time

// Entry points wrap their bodies in one of these. No C++ exception leaves the library: only allocation
// can throw here.
template <class Body> CUresult with_driver(Body body) {
  CUresult status = CUDA_SUCCESS;
  Channel* const channel = open_channel(status);
  if (channel == nullptr) return status;
  try {
    return body(*channel);
  } catch (std::exception const&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

// For calls with a handle or an address: its own context is used, and no context need be current.
template <class Body> CUresult with_device(Body body) {
  return with_driver([&](Channel& channel) {
    CUresult const sticky = sticky_error();
    return sticky != CUDA_SUCCESS ? sticky : body(channel);
  });
}

template <class Body> CUresult with_context(Body body) {
  return with_driver([&](Channel& channel) {
    CUresult status = CUDA_SUCCESS;
    Context* const context = current_context(status);
    if (context == nullptr) return status;
    if (CUresult const sticky = sticky_error(); sticky != CUDA_SUCCESS) return sticky;
    return body(channel, *context);
  });
}

} // namespace pegasus::driver
