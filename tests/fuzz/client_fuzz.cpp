// SPDX-License-Identifier: Apache-2.0
// The guest's libraries against a hostile worker and a hostile daemon. Whatever these write into the shared
// pages and the connect reply, the libraries do not corrupt the program's memory, and each call returns.
//
// Input: 8 bits that choose. 7 (modulo 8): the handshake (client_handshake.h). Otherwise a program of driver
// calls over a channel (client_program.h), with the worker's lies in between (hostile_worker.h).
#include "frontend/channel/ring_channel.h"

#include "tests/fuzz/client_handshake.h"
#include "tests/fuzz/client_program.h"
#include "tests/fuzz/hostile_worker.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/victim.h"

#include <cstdio>

namespace {

using namespace pegasus;
using fuzz::require;

constexpr unsigned max_steps = 64;

frontend::RingChannel* channel_now = nullptr;

void run_program(fuzz::Input input) {
  bool const lies_in_profile = input.take<std::uint8_t>() % 2 == 1;
  fuzz::HostileWorker worker(input, fuzz::victim());
  if (lies_in_profile) worker.lie_in_profile();
  frontend::RingChannel channel = fuzz::open_channel(worker);
  channel_now = &channel;
  CUcontext context = nullptr;
  require(cuInit(0) == CUDA_SUCCESS && cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  fuzz::ClientProgram program(input);
  for (unsigned step = 0; step < max_steps && !input.empty(); ++step) {
    program.step();
    fuzz::check_victim();
  }

  // An honest worker releases everything and clears the sticky error.
  fuzz::Input nothing(nullptr, 0);
  fuzz::HostileWorker honest(nothing, 0);
  frontend::RingChannel last = fuzz::open_channel(honest);
  channel_now = &last;
  program.give_up();
  require(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  channel_now = nullptr;
}

} // namespace

// Replaces the function that opens a connection.
frontend::Channel* frontend::Channel::get(int& status) {
  status = channel_now == nullptr ? 100 : 0;
  return channel_now;
}

// The library's messages to the program would hide the fuzzer's messages.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  require(std::freopen("/dev/null", "w", stdout) != nullptr);
  stderr = std::fopen("/dev/null", "w");
  return stderr == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  if (input.take<std::uint8_t>() % 8 == 7)
    fuzz::shake_hostile_hand(input);
  else
    run_program(input);
  return 0;
}
