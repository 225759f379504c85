// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/call_handler.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

namespace pegasus::avcpu {

CallHandler::CallHandler(ContextFactory make_context, void* argument)
    : make_context_(make_context), factory_argument_(argument), context_(make_context(argument)) {}

template <class Request, class Reply>
CallResult CallHandler::run_sync(pegasus_request const& request, Data data, bool tells_of_posted_calls) {
  static_assert(sizeof(Reply) <= PEGASUS_REPLY_BODY && std::is_trivially_copyable_v<Reply>);
  Request decoded;
  std::memcpy(&decoded, request.body, sizeof decoded);
  Reply reply{};
  CallResult result;
  result.expected = true;
  result.status = resolve_and_run(decoded, data, reply);
  if (tells_of_posted_calls && result.status == Status::success) result.status = status_of_posted_calls();
  result.flags = reply_flags();
  std::memcpy(result.body, &reply, sizeof reply);
  return result;
}

std::uint32_t CallHandler::reply_flags() const {
  return context_->output_pending() ? std::uint32_t{PEGASUS_REPLY_OUTPUT_PENDING} : 0u;
}

template <class Request> CallResult CallHandler::run_posted(pegasus_request const& request, Data data) {
  Request decoded;
  std::memcpy(&decoded, request.body, sizeof decoded);
  data.inline_bytes = std::span(reinterpret_cast<std::byte const*>(request.body), sizeof request.body)
                          .subspan(sizeof decoded);
  return posted(resolve_and_run(decoded, data));
}

CallResult CallHandler::posted(Status status) {
  if (status == Status::not_ready) return {.unfinished = true};
  if (deferred_ == Status::success) deferred_ = status;
  return {};
}

CallResult CallHandler::resume(device::TimeSlice const& slice) {
  if (graph_run_.graph == 0) return posted(context_->resume(slice));
  try {
    if (!graph_run_.in_launch) return posted(run_next_of_graph(slice));
    return posted(after_request_of_graph(context_->resume(slice)));
  } catch (std::bad_alloc const&) {
    graph_run_ = {};
    staging_ = {};
    return posted(Status::out_of_memory);
  }
}

namespace {

bool is_posted(std::uint16_t call) {
#define PEGASUS_KIND_SYNC false
#define PEGASUS_KIND_POSTED true
#define PEGASUS_KIND(number, NAME, stem, kind, ...)                                                          \
  if (call == number) return PEGASUS_KIND_##kind;
  PEGASUS_CALLS(PEGASUS_KIND)
#undef PEGASUS_KIND
#undef PEGASUS_KIND_POSTED
#undef PEGASUS_KIND_SYNC
  return false;
}

} // namespace

CallResult CallHandler::execute(pegasus_request const& request, std::span<std::byte> data,
                                device::TimeSlice const& slice) {
  try {
    switch (request.call) {
#define PEGASUS_TELLS_OWN false
#define PEGASUS_TELLS_ALL true
#define PEGASUS_CASE_SYNC(stem, status)                                                                      \
  return run_sync<pegasus_##stem##_request, pegasus_##stem##_reply>(request, {data, {}, &slice},             \
                                                                    PEGASUS_TELLS_##status)
#define PEGASUS_CASE_POSTED(stem, status)                                                                    \
  return run_posted<pegasus_##stem##_request>(request, {data, {}, &slice})
#define PEGASUS_CASE(number, NAME, stem, kind, status, handles)                                              \
  case number:                                                                                               \
    PEGASUS_CASE_##kind(stem, status);
      PEGASUS_CALLS(PEGASUS_CASE)
#undef PEGASUS_CASE
#undef PEGASUS_CASE_POSTED
#undef PEGASUS_CASE_SYNC
#undef PEGASUS_TELLS_ALL
#undef PEGASUS_TELLS_OWN
    default: // a newer guest: both sides stay in step whether or not it waits for a reply
      return {.expected = true, .status = Status::not_supported};
    }
  } catch (std::bad_alloc const&) {
    image_ = {};
    staging_ = {};
    graph_run_ = {};
    if (is_posted(request.call)) return posted(Status::out_of_memory);
    return {.expected = true, .status = Status::out_of_memory};
  }
}

std::optional<CallResult> CallHandler::finish_earlier_work(pegasus_request const& request) {
  if (request.call != PEGASUS_CALL_COPY_FROM_DEVICE || deferred_ != Status::success) return std::nullopt;
  pegasus_copy_from_device_request copy;
  std::memcpy(&copy, request.body, sizeof copy);
  auto const stream = find(Handle<device::Stream>{copy.stream});
  if (!stream) return std::nullopt;
  Status const status = context_->stream_synchronize(*stream);
  if (status == Status::success) return std::nullopt;
  return CallResult{.expected = true, .status = status, .flags = reply_flags()};
}

std::optional<device::Stream*> CallHandler::find(Handle<device::Stream> handle) {
  if (handle.value == 0) return nullptr;
  auto* const found = streams_.find(handle.value);
  return found == nullptr ? std::nullopt : std::optional(found->get());
}

std::optional<device::Event*> CallHandler::find(Handle<device::Event> handle) {
  auto* const found = events_.find(handle.value);
  return found == nullptr ? std::nullopt : std::optional(found->get());
}

std::optional<device::Module*> CallHandler::find(Handle<device::Module> handle) {
  auto* const found = modules_.find(handle.value);
  return found == nullptr ? std::nullopt : std::optional(found->get());
}

std::optional<device::Function*> CallHandler::find(Handle<device::Function> handle) {
  auto* const found = functions_.find(handle.value);
  return found == nullptr ? std::nullopt : std::optional(found->function);
}

std::optional<Graph*> CallHandler::find(Handle<Graph> handle) {
  auto* const found = graphs_.find(handle.value);
  return found == nullptr ? std::nullopt : std::optional(found);
}

Status CallHandler::status_of_posted_calls() { return std::exchange(deferred_, Status::success); }

void CallHandler::destroy_objects() {
  graphs_.clear();
  graph_bytes_ = 0;
  functions_.clear();
  modules_.clear();
  events_.clear();
  streams_.clear();
}

Status CallHandler::on(pegasus_ping_request const& request, Data const&, pegasus_ping_reply& reply) {
  reply.value = request.value;
  return Status::success;
}

Status CallHandler::on(pegasus_output_read_request const&, Data const& data,
                       pegasus_output_read_reply& reply) {
  device::Output const output = context_->take_output(data.arena.size());
  std::size_t const bytes = std::min(output.text.size(), data.arena.size());
  std::memcpy(data.arena.data(), output.text.data(), bytes);
  reply = {static_cast<std::uint32_t>(output.kind), static_cast<std::uint32_t>(bytes)};
  return Status::success;
}

// Its own failure is reported in place of the failures of posted calls.
Status CallHandler::on(pegasus_context_synchronize_request const&, Data const&,
                       pegasus_context_synchronize_reply&) {
  Status const status = context_->synchronize();
  if (status != Status::success) (void)status_of_posted_calls();
  return status;
}

Status CallHandler::on(pegasus_context_reset_request const&, Data const&, pegasus_context_reset_reply&) {
  destroy_objects();
  context_.reset(); // first: two contexts at a time need not fit
  context_ = make_context_(factory_argument_);
  deferred_ = Status::success;
  return Status::success;
}

CallHandler::Holdings CallHandler::holdings() const {
  return {.memory_bytes = context_->memory_used(),
          .modules = modules_.size(),
          .functions = functions_.size(),
          .streams = streams_.size(),
          .events = events_.size(),
          .graphs = graphs_.size(),
          .graph_bytes = graph_bytes_};
}

Status CallHandler::on(pegasus_context_set_limit_request const& request, Data const&,
                       pegasus_context_set_limit_reply& reply) {
  reply.value = request.value;
  return context_->set_limit(request.limit, reply.value);
}

} // namespace pegasus::avcpu
