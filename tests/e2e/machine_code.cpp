// SPDX-License-Identifier: Apache-2.0
// Asks NVRTC and nvJitLink for machine code of the device's architecture, as programs that compile as they run do, and
// executes it. Usage: machine_code CASE [FILE], one of those in main().
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <functional>
#include <map>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <string>
#include <vector>

namespace {

using Code = std::vector<char>;

void check(bool right, char const* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

std::string architecture; // sm_75

char const kernel[] = R"(extern "C" __device__ int twice(int);
extern "C" __global__ void fill(int *out) { out[threadIdx.x] = twice(threadIdx.x) + 1; })";
char const function[] = R"(extern "C" __device__ int twice(int x) { return 2 * x; })";
char const whole[] =
    R"(template <int n> __global__ void fill(int *out) { out[threadIdx.x] = n * threadIdx.x + 1; })";

struct Program {
  nvrtcProgram program = nullptr;

  Program(char const* source, std::vector<std::string> options, char const* expression = nullptr) {
    check(nvrtcCreateProgram(&program, source, "unit.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS, "create");
    if (expression != nullptr)
      check(nvrtcAddNameExpression(program, expression) == NVRTC_SUCCESS, "expression");
    std::vector<char const*> words;
    for (std::string const& option : options)
      words.push_back(option.c_str());
    check(nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data()) == NVRTC_SUCCESS,
          "compile");
  }
  ~Program() { nvrtcDestroyProgram(&program); }

  template <class Size, class Get> Code get(Size size, Get get) const {
    std::size_t bytes = 0;
    check(size(program, &bytes) == NVRTC_SUCCESS, "size");
    Code code(bytes);
    check(get(program, code.data()) == NVRTC_SUCCESS, "code");
    return code;
  }
  Code machine_code() const { return get(nvrtcGetCUBINSize, nvrtcGetCUBIN); }
  Code ptx() const { return get(nvrtcGetPTXSize, nvrtcGetPTX); }
  Code intermediate_code() const { return get(nvrtcGetLTOIRSize, nvrtcGetLTOIR); }
};

Code unit(char const* source) { return Program(source, {"-arch=" + architecture, "-dc"}).machine_code(); }
Code intermediate(char const* source) {
  return Program(source, {"-arch=" + architecture, "-dlto"}).intermediate_code();
}

struct Input {
  nvJitLinkInputType type;
  Code code; // or
  char const* path = nullptr;
};

Code link(std::vector<Input> const& inputs, std::vector<char const*> options = {}) {
  std::string const target = "-arch=" + architecture;
  options.push_back(target.c_str());
  nvJitLinkHandle handle = nullptr;
  check(nvJitLinkCreate(&handle, static_cast<unsigned>(options.size()), options.data()) == NVJITLINK_SUCCESS,
        "create");
  for (auto const& [type, code, path] : inputs)
    check((path != nullptr
               ? nvJitLinkAddFile(handle, type, path)
               : nvJitLinkAddData(handle, type, code.data(), code.size(), "unit")) == NVJITLINK_SUCCESS,
          "add");
  check(nvJitLinkComplete(handle) == NVJITLINK_SUCCESS, "link");
  std::size_t bytes = 0;
  check(nvJitLinkGetLinkedCubinSize(handle, &bytes) == NVJITLINK_SUCCESS && bytes > 0, "size of the link");
  Code code(bytes);
  check(nvJitLinkGetLinkedCubin(handle, code.data()) == NVJITLINK_SUCCESS, "linked code");
  check(nvJitLinkDestroy(&handle) == NVJITLINK_SUCCESS && handle == nullptr, "destroy");
  return code;
}

void execute(Code const& code, char const* name = "fill") {
  CUmodule module = nullptr;
  CUfunction fill = nullptr;
  CUdeviceptr out = 0;
  int values[32] = {};
  check(cuModuleLoadData(&module, code.data()) == CUDA_SUCCESS, "load");
  check(cuModuleGetFunction(&fill, module, name) == CUDA_SUCCESS, "function");
  check(cuMemAlloc(&out, sizeof values) == CUDA_SUCCESS, "memory");
  void* parameters[] = {&out};
  check(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS, "launch");
  check(cuMemcpyDtoH(values, out, sizeof values) == CUDA_SUCCESS, "copy");
  for (int i = 0; i < 32; ++i)
    check(values[i] == 2 * i + 1, "result");
}

void compiled() {
  Program const program(whole, {"--gpu-architecture=" + architecture}, "fill<2>");
  char const* name = nullptr;
  check(nvrtcGetLoweredName(program.program, "fill<2>", &name) == NVRTC_SUCCESS, "name");
  execute(program.machine_code(), name);
}

void virtual_architecture() {
  std::size_t bytes = 1;
  Program const program(whole, {"-arch=compute_" + architecture.substr(3)}, "fill<2>");
  check(nvrtcGetCUBINSize(program.program, &bytes) == NVRTC_SUCCESS && bytes == 0,
        "there is no machine code");
}

void of_the_device() { // an ELF file, where it executes machine code
  Code const compiled = unit(function), linked = link({{NVJITLINK_INPUT_CUBIN, compiled}});
  for (Code const& code : {compiled, linked})
    check(code.size() > 4 && std::memcmp(code.data(),
                                         "\x7f"
                                         "ELF",
                                         4) == 0,
          "machine code");
}

void undefined() { // of a function that is nowhere
  std::string const target = "-arch=" + architecture;
  char const* const options[] = {target.c_str()};
  nvJitLinkHandle handle = nullptr;
  Code const code = Program(kernel, {target, "-dc"}).ptx();
  check(nvJitLinkCreate(&handle, 1, const_cast<char const**>(options)) == NVJITLINK_SUCCESS, "create");
  check(nvJitLinkAddData(handle, NVJITLINK_INPUT_PTX, code.data(), code.size(), "unit") == NVJITLINK_SUCCESS,
        "add");
  check(nvJitLinkComplete(handle) != NVJITLINK_SUCCESS, "a link that lacks a function");
  std::size_t bytes = 0;
  check(nvJitLinkGetErrorLogSize(handle, &bytes) == NVJITLINK_SUCCESS && bytes > 0, "size of the log");
  Code log(bytes + 1);
  check(nvJitLinkGetErrorLog(handle, log.data()) == NVJITLINK_SUCCESS, "log");
  check(std::strstr(log.data(), "Undefined reference to 'twice'") != nullptr, log.data());
}

} // namespace

int main(int, char** arguments) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  int major = 0, minor = 0;
  check(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
            cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
            cuCtxSetCurrent(context) == CUDA_SUCCESS,
        "device");
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  architecture = "sm_" + std::to_string(major * 10 + minor);
  constexpr auto cubin = NVJITLINK_INPUT_CUBIN;
  constexpr auto lto = NVJITLINK_INPUT_LTOIR;
  constexpr auto any = NVJITLINK_INPUT_ANY;
  std::map<std::string, std::function<void()>> const cases{
      {"compiled", compiled},
      {"virtual", virtual_architecture},
      {"linked",
       [] {
         execute(link({{cubin, unit(kernel)}, {any, unit(function)}}));
       }},
      {"again",
       [] {
         execute(link({{cubin, link({{cubin, unit(function)}, {cubin, unit(kernel)}})}}));
       }},
      {"optimised",
       [] {
         execute(link({{lto, intermediate(kernel)}, {any, intermediate(function)}}, {"-lto"}));
       }},
      {"partly",
       [] {
         execute(link({{lto, intermediate(kernel)}, {cubin, unit(function)}}, {"-lto"}));
       }},
      {"with a file",
       [&] {
         execute(link({{cubin, unit(kernel)}, {cubin, unit(function)}, {any, {}, arguments[2]}}));
       }},
      {"undefined", undefined},
      {"machine code", of_the_device},
  };
  auto const found = cases.find(arguments[1]);
  check(found != cases.end(), "usage");
  found->second();
  std::printf("PASS\n");
}
