// SPDX-License-Identifier: Apache-2.0
// Registrations, launches, errors.
#include "tests/fuzz/cudart_program.h"

#include "frontend/cudart/testing/registered.h"
#include "frontend/protocol/calls.h"

#include <cstring>
#include <iterator>

// What nvcc's stubs call; cuda_runtime_api.h does not declare it.
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, void const*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
}

namespace pegasus::fuzz {
namespace {

constexpr char ptx[] =
    ".version 7.5\n.target sm_75\n.visible .entry k(.param .u32 a, .param .u64 p) { ret; }\n";
constexpr std::uint64_t most_image_bytes = 4096;

// The addresses by which the program knows its kernels and variables; two images may register the same one.
char hosts[8];
char const* const names[] = {
    "k", "other", "", nullptr,
    "a name that is longer than those of most kernels, but not longer than a name may be"};

// The library knows only what a worker says about a kernel's parameters. The program's array and what it points to
// are therefore large enough for any kernel.
std::array<std::byte, 2 * PEGASUS_PARAMETER_BYTES_MAX> parameter_bytes;
std::array<void*, PEGASUS_PARAMETERS_MAX> parameter_pointers;

// "The process must be terminated and relaunched" or "the device cannot be used" (driver_types.h, cudaError).
bool stays(cudaError_t error) {
  constexpr int errors[] = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911};
  return std::ranges::find(errors, static_cast<int>(error)) != std::end(errors);
}

} // namespace

CudartProgram::CudartProgram(Input& input) : input_(input) {
  parameter_pointers.fill(parameter_bytes.data());
}

void CudartProgram::step() {
  using Call = void (CudartProgram::*)();
  constexpr Call calls[] = {
      &CudartProgram::register_image,
      &CudartProgram::unregister_image,
      &CudartProgram::get_errors,
      &CudartProgram::launch,
      &CudartProgram::ask_about_kernel,
      &CudartProgram::launch_with_configuration,
      &CudartProgram::use_library,
      &CudartProgram::ask_about_occupancy,
      &CudartProgram::reset,
      &CudartProgram::allocate,
      &CudartProgram::copy,
      &CudartProgram::copy_rows,
      &CudartProgram::fill,
      &CudartProgram::copy_symbols,
      &CudartProgram::ask_about_memory,
      &CudartProgram::use_streams,
      &CudartProgram::use_events,
      &CudartProgram::make_graph,
      &CudartProgram::use_graph,
      &CudartProgram::capture,
      &CudartProgram::ask_about_device,
      &CudartProgram::set_limits,
  };
  (this->*calls[take<std::uint8_t>() % std::size(calls)])();
}

cudaError_t CudartProgram::answered(cudaError_t error) {
  require(std::strcmp(cudaGetErrorName(error), "unrecognized error code") != 0);
  if (error != cudaSuccess && !stays(last_)) last_ = error;
  require(cudaPeekAtLastError() == last_);
  return error;
}

void CudartProgram::get_errors() {
  require(cudaGetLastError() == last_);
  if (!stays(last_)) last_ = cudaSuccess;
  require(cudaPeekAtLastError() == last_ && cudaGetLastError() == last_);
  auto const some = static_cast<cudaError_t>(take<std::uint16_t>() % 1024);
  require(cudaGetErrorName(some) != nullptr && cudaGetErrorString(some) != nullptr);
}

// The handles of kernels end with their images, and everything else with the device's context.
void CudartProgram::reset() {
  if (take<std::uint8_t>() % 4 != 0) {
    (void)answered(cudaDeviceSynchronize());
    return;
  }
  cudaError_t const error = cudaDeviceReset();
  // Even if it fails, the context is gone.
  last_ = cudaPeekAtLastError();
  require(error == cudaSuccess ? last_ == cudaSuccess : last_ == error || stays(last_));
  memory_.fill(nullptr);
  streams_.fill(nullptr);
  events_.fill(nullptr);
}

void CudartProgram::register_image() {
  auto& image = any(images_);
  if (image != nullptr) return;
  image = std::make_unique<Image>();
  image->bytes.resize(most_image_bytes + 0x10000); // as much as a damaged header may say
  struct {
    std::uint32_t magic = 0xBA55ED50;
    std::uint16_t version = 1, header_bytes = 16;
    std::uint64_t body_bytes = sizeof ptx;
  } header;
  auto const damage = take<std::uint8_t>();
  if (damage % 8 == 1) header.magic = take<std::uint32_t>();
  if (damage % 8 == 2) header.header_bytes = take<std::uint16_t>();
  if (damage % 8 == 3) header.body_bytes = take<std::uint16_t>() % most_image_bytes;
  if (damage % 8 == 4) header.body_bytes = ~std::uint64_t{take<std::uint8_t>()};
  std::memcpy(image->bytes.data(), &header, sizeof header);
  std::memcpy(image->bytes.data() + sizeof header, ptx, sizeof ptx);
  auto const lie = input_.take_bytes(damage % 8 == 5 ? 64 : 0);
  std::ranges::copy(lie, image->bytes.begin() + sizeof header);
  image->units = {image->bytes.data(), damage / 8 % 2 == 0 ? nullptr : image->bytes.data(), nullptr};
  image->wrapper = {damage / 16 % 8 == 7 ? 1 : cudart::FatbinWrapper::magic_value, 1 + damage / 16 % 3,
                    damage % 8 == 6 ? nullptr : image->bytes.data(),
                    damage / 8 % 4 == 3 ? nullptr : image->units.data()};
  image->handle = __cudaRegisterFatBinary(&image->wrapper);
  require(image->handle != nullptr);
  for (unsigned symbols = 1 + take<std::uint8_t>() % 4; symbols > 0; --symbols) {
    auto const choice = take<std::uint8_t>();
    char* const host = choice % 16 == 15 ? nullptr : &hosts[choice % std::size(hosts)];
    char const* const name = choice / 16 < 10 ? names[0] : names[choice / 16 % std::size(names)];
    constexpr std::size_t sizes[] = {16, 0, 4096, ~std::size_t{0}};
    switch (take<std::uint8_t>() % 8) {
    case 0:
    case 1:
      __cudaRegisterVar(image->handle, host, nullptr, name, 0, sizes[choice / 64], 0, 0);
      break;
    case 2:
      if (image->managed == nullptr)
        __cudaRegisterManagedVar(image->handle, &image->managed, nullptr, name, 0, sizes[choice / 64], 0, 0);
      break;
    default:
      __cudaRegisterFunction(image->handle, host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
    }
  }
  __cudaRegisterFatBinaryEnd(image->handle);
}

void CudartProgram::unregister_image() {
  auto& image = any(images_);
  if (image == nullptr) return;
  __cudaUnregisterFatBinary(image->handle);
  image.reset();
}

void const* CudartProgram::kernel() {
  auto const choice = take<std::uint8_t>();
  if (choice >= 250) return nullptr;
  return choice < 200 ? &hosts[choice % std::size(hosts)] : static_cast<void const*>(kernels_[choice % kept]);
}

void const* CudartProgram::symbol() { return &hosts[take<std::uint8_t>() % std::size(hosts)]; }

dim3 CudartProgram::dimensions() {
  constexpr unsigned odd[] = {0, 1, 1024, 1025, 65535, 65536, 0x7fffffff, 0xffffffff};
  auto const choice = take<std::uint8_t>();
  if (choice < 192) return {1u + choice, 1, 1};
  return {odd[choice % 8], odd[choice / 8 % 8], odd[take<std::uint8_t>() % 8]};
}

void CudartProgram::launch() {
  void const* const function = kernel();
  dim3 const grid = dimensions(), block = dimensions();
  std::size_t const shared = take<std::uint8_t>() < 240 ? 0 : size() << 30;
  cudaStream_t const stream = any(streams_);
  switch (take<std::uint8_t>() % 4) {
  case 0:
    (void)answered(
        cudaLaunchCooperativeKernel(function, grid, block, parameter_pointers.data(), shared, stream));
    return;
  case 1: {
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = static_cast<cudaLaunchAttributeID>(take<std::uint8_t>() % 16);
    attributes[1].id = cudaLaunchAttributePriority;
    cudaLaunchConfig_t const config{grid, block, shared, stream, attributes, take<std::uint8_t>() % 3u};
    (void)answered(cudaLaunchKernelExC(&config, function, parameter_pointers.data()));
    return;
  }
  default:
    (void)answered(cudaLaunchKernel(function, grid, block, parameter_pointers.data(), shared, stream));
  }
}

// As nvcc's stubs do; and configurations without a launch, and the reverse.
void CudartProgram::launch_with_configuration() {
  auto const choice = take<std::uint8_t>();
  Guarded<dim3> grid, block;
  Guarded<std::size_t> shared;
  Guarded<cudaStream_t> stream;
  Guarded<cudaKernel_t> handle;
  bool pushed = false;
  for (unsigned pushes = choice % 8 == 7 ? 20 : 1; pushes > 0 && choice % 8 != 6; --pushes) {
    auto const refused = static_cast<cudaError_t>(
        __cudaPushCallConfiguration(dimensions(), dimensions(), take<std::uint8_t>(), any(streams_)));
    pushed = answered(refused) == cudaSuccess || pushed;
  }
  if (choice % 8 == 5) return; // it stays on the stack
  bool const popped = answered(__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) == cudaSuccess;
  require(popped || !pushed);
  if (!popped || answered(__cudaGetKernel(&handle, kernel())) != cudaSuccess) return;
  any(kernels_) = handle.get();
  (void)answered(__cudaLaunchKernel(handle.get(), grid.get(), block.get(), parameter_pointers.data(),
                                    shared.get(), stream.get()));
}

void CudartProgram::ask_about_kernel() {
  void const* const function = kernel();
  Guarded<cudaFuncAttributes> attributes;
  Guarded<std::size_t> offset, bytes;
  Guarded<char const*> name;
  Guarded<cudaFunction_t> handle;
  (void)answered(cudaFuncGetAttributes(&attributes, function));
  (void)answered(cudaFuncGetParamInfo(function, take<std::uint8_t>() % 4, &offset, &bytes));
  if (answered(cudaFuncGetName(&name, function)) == cudaSuccess && name.get() != nullptr)
    require(std::strlen(name.get()) < 1024);
  (void)answered(cudaGetFuncBySymbol(&handle, function));
  (void)answered(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(take<std::uint8_t>() % 16),
                                      take<std::int32_t>()));
  (void)answered(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(take<std::uint8_t>() % 4)));
}

void CudartProgram::ask_about_occupancy() {
  void const* const function = kernel();
  Guarded<int> blocks, clusters;
  Guarded<std::size_t> bytes;
  int const threads = take<std::int16_t>();
  (void)answered(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, size()));
  (void)answered(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads, size(),
                                                                        take<std::uint8_t>() % 3));
  (void)answered(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, function, take<std::int8_t>(), threads));
  cudaLaunchConfig_t const config{dimensions(), dimensions(), 0, nullptr, nullptr, 0};
  (void)answered(cudaOccupancyMaxPotentialClusterSize(&clusters, function, &config));
  (void)answered(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
}

void CudartProgram::use_library() {
  cudaLibrary_t& library = any(libraries_);
  Guarded<cudaKernel_t> found;
  Guarded<unsigned> count;
  if (library != nullptr && take<std::uint8_t>() % 4 == 0) {
    kernels_.fill(nullptr); // using one of these would be the program's mistake
    (void)answered(cudaLibraryUnload(library));
    library = nullptr;
  }
  if (library == nullptr) {
    cudaError_t const error =
        answered(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    if (error != cudaSuccess) library = nullptr;
    return;
  }
  (void)answered(cudaLibraryGetKernelCount(&count, library));
  if (answered(cudaLibraryGetKernel(&found, library, "k")) == cudaSuccess) any(kernels_) = found.get();
}

void CudartProgram::give_up() {
  for (auto& image : images_) {
    if (image != nullptr) __cudaUnregisterFatBinary(image->handle);
    image.reset();
  }
  for (cudaGraphExec_t const exec : graph_execs_)
    (void)cudaGraphExecDestroy(exec);
  for (cudaGraph_t const graph : graphs_)
    (void)cudaGraphDestroy(graph);
  for (cudaLibrary_t const library : libraries_)
    if (library != nullptr) (void)cudaLibraryUnload(library);
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  while (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess) {
  }
}

} // namespace pegasus::fuzz
