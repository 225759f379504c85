// SPDX-License-Identifier: Apache-2.0
// Streams and events: pinned asynchronous copies in chunks on several streams, waiting across streams,
// the rules of the default stream (CUDA Programming Guide, "Default Stream"), event timing and its
// errors, host functions.
#include "workloads/common.h"

using namespace workload;

// Slow on purpose: a consumer that does not wait would read the old data.
__global__ void churn(unsigned const* input, unsigned* output, unsigned elements, unsigned rounds) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  unsigned value = input[i];
  for (unsigned round = 0; round < rounds; ++round)
    value = value * 1664525u + 1013904223u;
  output[i] = value;
}

static std::vector<unsigned> churn_on_cpu(std::vector<unsigned> values, std::uint64_t rounds) {
  for (unsigned& value : values)
    for (std::uint64_t round = 0; round < rounds; ++round)
      value = value * 1664525u + 1013904223u;
  return values;
}

struct Plan {
  std::uint64_t elements = 65536, streams = 4, rounds = 64;
  unsigned count() const { return static_cast<unsigned>(elements); }
  unsigned steps() const { return static_cast<unsigned>(rounds); }
};

class Stream {
public:
  explicit Stream(unsigned flags = cudaStreamDefault) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, flags));
  }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  ~Stream() { CHECK_CUDA(cudaStreamDestroy(stream_)); }
  operator cudaStream_t() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

static void launch(unsigned const* input, unsigned* output, unsigned elements, unsigned rounds,
                   cudaStream_t stream) {
  churn<<<blocks_for(elements, 128), 128, 0, stream>>>(input, output, elements, rounds);
  CHECK_CUDA(cudaGetLastError());
}

// Copy in, compute and copy out, a chunk per stream, between pinned buffers; timed by events.
static std::string chunks_in_pinned_memory(Plan const& plan, std::vector<unsigned> const& input,
                                           float& milliseconds) {
  unsigned *in = nullptr, *out = nullptr;
  std::size_t const bytes = plan.elements * sizeof(unsigned);
  CHECK_CUDA(cudaMallocHost(&in, bytes));
  CHECK_CUDA(cudaHostAlloc(&out, bytes, cudaHostAllocPortable));
  std::memcpy(in, input.data(), bytes);
  DeviceArray<unsigned> data(plan.elements);
  std::vector<cudaStream_t> streams(plan.streams);
  for (cudaStream_t& stream : streams)
    CHECK_CUDA(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  CHECK_CUDA(cudaEventRecord(begin));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::size_t const first = plan.elements * i / streams.size(),
                      past = plan.elements * (i + 1) / streams.size();
    std::size_t const count = past - first;
    if (count == 0) continue;
    CHECK_CUDA(cudaMemcpyAsync(data.get() + first, in + first, count * sizeof(unsigned),
                               cudaMemcpyHostToDevice, streams[i]));
    launch(data.get() + first, data.get() + first, static_cast<unsigned>(count), plan.steps(), streams[i]);
    CHECK_CUDA(cudaMemcpyAsync(out + first, data.get() + first, count * sizeof(unsigned),
                               cudaMemcpyDeviceToHost, streams[i]));
  }
  CHECK_CUDA(cudaEventRecord(end)); // in the default stream: after all of the streams' work
  CHECK_CUDA(cudaEventSynchronize(end));
  CHECK_CUDA(cudaEventQuery(end));
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  std::vector<unsigned> const got(out, out + plan.elements);
  for (cudaStream_t stream : streams) {
    CHECK_CUDA(cudaStreamQuery(stream));
    CHECK_CUDA(cudaStreamDestroy(stream));
  }
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));
  CHECK_CUDA(cudaFreeHost(in));
  CHECK_CUDA(cudaFreeHost(out));
  if (!(milliseconds >= 0)) return "the elapsed time is negative";
  return first_mismatch("chunked", got, churn_on_cpu(input, plan.rounds));
}

// Two non-blocking streams: only the event orders the second after the first.
static std::string wait_across_streams(Plan const& plan, std::vector<unsigned> const& input) {
  DeviceArray<unsigned> data(input), middle(plan.elements), result(plan.elements);
  Stream const producer(cudaStreamNonBlocking), consumer(cudaStreamNonBlocking);
  cudaEvent_t produced;
  CHECK_CUDA(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
  launch(data.get(), middle.get(), plan.count(), plan.steps(), producer);
  CHECK_CUDA(cudaEventRecord(produced, producer));
  CHECK_CUDA(cudaStreamWaitEvent(consumer, produced, 0));
  launch(middle.get(), result.get(), plan.count(), plan.steps(), consumer);
  CHECK_CUDA(cudaStreamSynchronize(consumer));
  CHECK_CUDA(cudaEventDestroy(produced));
  return first_mismatch("after the event", result.download(), churn_on_cpu(input, 2 * plan.rounds));
}

// Blocking stream, default stream, blocking stream: each implicitly waits for the previous one.
static std::string default_stream_order(Plan const& plan, std::vector<unsigned> const& input) {
  DeviceArray<unsigned> first(input), second(plan.elements), third(plan.elements), fourth(plan.elements);
  Stream const before, after;
  launch(first.get(), second.get(), plan.count(), plan.steps(), before);
  launch(second.get(), third.get(), plan.count(), plan.steps(), nullptr);
  launch(third.get(), fourth.get(), plan.count(), plan.steps(), after);
  CHECK_CUDA(cudaStreamSynchronize(after));
  return first_mismatch("default stream", fourth.download(), churn_on_cpu(input, 3 * plan.rounds));
}

static std::string expect(char const* what, cudaError_t got, cudaError_t expected) {
  cudaGetLastError(); // clears the error, which was checked above
  if (got == expected) return {};
  return std::string(what) + " returned " + cudaGetErrorName(got) + ", expected " +
         cudaGetErrorName(expected);
}

static std::string event_errors() {
  cudaEvent_t timed, untimed, never;
  float milliseconds = 0;
  CHECK_CUDA(cudaEventCreate(&timed));
  CHECK_CUDA(cudaEventCreate(&never));
  CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventQuery(never)); // an event that was never recorded counts as complete
  CHECK_CUDA(cudaEventRecord(timed));
  CHECK_CUDA(cudaEventRecord(untimed));
  CHECK_CUDA(cudaDeviceSynchronize());
  std::string wrong =
      expect("cudaEventElapsedTime of an event without timing",
             cudaEventElapsedTime(&milliseconds, timed, untimed), cudaErrorInvalidResourceHandle);
  if (wrong.empty())
    wrong = expect("cudaEventElapsedTime of an event never recorded",
                   cudaEventElapsedTime(&milliseconds, timed, never), cudaErrorInvalidResourceHandle);
  for (cudaEvent_t event : {timed, untimed, never})
    CHECK_CUDA(cudaEventDestroy(event));
  return wrong;
}

struct Note {
  std::vector<int> order;
};

static void CUDART_CB write_one(void* note) { static_cast<Note*>(note)->order.push_back(1); }
static void CUDART_CB write_two(void* note) { static_cast<Note*>(note)->order.push_back(2); }

static std::string host_functions(Plan const& plan, std::vector<unsigned> const& input) {
  DeviceArray<unsigned> data(input);
  int least = 0, greatest = 0;
  CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  Note note;
  CHECK_CUDA(cudaLaunchHostFunc(stream, write_one, &note));
  launch(data.get(), data.get(), plan.count(), plan.steps(), stream);
  CHECK_CUDA(cudaLaunchHostFunc(stream, write_two, &note));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaStreamDestroy(stream));
  if (note.order != std::vector<int>{1, 2}) return "the host functions did not run once each, in order";
  return first_mismatch("beside host functions", data.download(), churn_on_cpu(input, plan.rounds));
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("streams_overlap", "Orders copies and kernels by streams and events, and checks every order.")
      .number("--elements", plan.elements, 1, 1u << 26, "values in each buffer")
      .number("--streams", plan.streams, 1, 64, "streams of the chunked part")
      .number("--rounds", plan.rounds, 1, 1u << 20, "steps of each kernel per value")
      .parse(argc, argv);

  Random random;
  std::vector<unsigned> input(plan.elements);
  for (unsigned& value : input)
    value = random.next();
  Stopwatch const watch;
  float milliseconds = 0;
  std::string mismatch = chunks_in_pinned_memory(plan, input, milliseconds);
  if (mismatch.empty()) mismatch = wait_across_streams(plan, input);
  if (mismatch.empty()) mismatch = default_stream_order(plan, input);
  if (mismatch.empty()) mismatch = event_errors();
  if (mismatch.empty()) mismatch = host_functions(plan, input);
  std::printf("streams_overlap: %.3f ms by events for the chunked part\n", static_cast<double>(milliseconds));
  return report({"streams_overlap", 7 * plan.elements, "elements", watch.seconds()}, mismatch);
}
