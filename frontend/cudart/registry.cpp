// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/registry.h"

#include "frontend/cudart/lock.h"
#include "frontend/cudart/symbol_table.h"

#include <new>
#include <utility>

namespace pegasus::cudart {
namespace {

Mutex registry_lock; // guards images, symbols and writes to bindings; held while an image is loaded
SymbolTable symbols;

template <class Object> Object* make() {
  void* const memory = std::malloc(sizeof(Object));
  return memory == nullptr ? nullptr : new (memory) Object{};
}

void release(Symbol* symbol) {
  symbols.erase(symbol->host, symbol);
  symbols.erase(symbol, symbol);
  symbol->bindings.clear();
  std::free(symbol);
}

// Errors of the image itself: a retry cannot succeed and would repeat the driver's diagnostic
// at every launch.
bool is_final(cudaError_t error) {
  switch (static_cast<int>(error)) {
  case cudaErrorInvalidKernelImage:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidPtx:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorInvalidSource:
  case cudaErrorNotSupported:
    return true;
  default:
    return false;
  }
}

unsigned long long id_of(Driver const& driver, CUcontext context) {
  unsigned long long id = 0;
  return driver.cuCtxGetId(context, &id) == CUDA_SUCCESS ? id : 0;
}

bool has_managed_memory(Driver const& driver) {
  int value = 0;
  CUdevice device = 0;
  return driver.cuCtxGetDevice(&device) == CUDA_SUCCESS &&
         driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, device) == CUDA_SUCCESS &&
         value != 0;
}

cudaError_t load(Driver const& driver, Fatbin const& image, CUmodule& module) {
  if (image.managed && !has_managed_memory(driver)) {
    say("this program has __managed__ variables, which this accelerator does not have (device attribute "
        "managedMemory is 0): use __device__ variables and cudaMemcpyToSymbol");
    return cudaErrorNotSupported;
  }
  return from_driver(load_image(driver, image.wrapper, module));
}

cudaError_t look_up(Driver const& driver, CUmodule module, Symbol const& symbol, std::uint64_t& value,
                    std::size_t& bytes) {
  if (symbol.kind == Symbol::Kind::kernel) {
    CUfunction function = nullptr;
    CUresult const result = driver.cuModuleGetFunction(&function, module, symbol.name);
    value = reinterpret_cast<std::uint64_t>(function);
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : from_driver(result);
  }
  CUdeviceptr address = 0;
  CUresult const result = driver.cuModuleGetGlobal_v2(&address, &bytes, module, symbol.name);
  value = address;
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : from_driver(result);
}

// The program uses managed variables where the module has them. The lock is held.
cudaError_t point_to_managed(Driver const& driver, CUmodule module, Fatbin const& image) {
  for (Symbol* symbol = image.symbols; symbol != nullptr; symbol = symbol->next_of_image) {
    if (symbol->kind != Symbol::Kind::managed_variable) continue;
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    if (cudaError_t const error = look_up(driver, module, *symbol, address, bytes); error != cudaSuccess)
      return error;
    symbols.erase(symbol->host, symbol);
    std::free(std::exchange(symbol->own_memory, nullptr));
    symbol->host = *symbol->managed = pointer_to(address);
    if (!symbols.insert(symbol->host, symbol)) return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

// The lock is held.
cudaError_t module_of(Driver const& driver, CUcontext context, Fatbin& image, CUmodule& module) {
  unsigned const generation = reset_generation();
  Binding const* const binding = image.modules.find(context, generation);
  if (binding != nullptr) {
    module = reinterpret_cast<CUmodule>(binding->value.load(std::memory_order_relaxed));
    return static_cast<cudaError_t>(binding->failure.load(std::memory_order_relaxed));
  }
  CUmodule fresh = nullptr;
  cudaError_t error = load(driver, image, fresh);
  if (error == cudaSuccess && image.managed) error = point_to_managed(driver, fresh, image);
  if (error != cudaSuccess && !is_final(error)) return error;
  auto const value = reinterpret_cast<std::uint64_t>(fresh);
  if (!image.modules.add(context, generation, id_of(driver, context), value, 0, error))
    return cudaErrorMemoryAllocation;
  module = fresh;
  return error;
}

cudaError_t bind(Driver const& driver, CUcontext context, Symbol& symbol, Binding*& binding) {
  unsigned const generation = reset_generation();
  binding = symbol.bindings.find(context, generation);
  if (binding != nullptr) return cudaSuccess;
  Lock const lock(registry_lock);
  binding = symbol.bindings.find(context, generation);
  if (binding != nullptr) return cudaSuccess;

  std::uint64_t value = 0;
  std::size_t bytes = 0;
  if (symbol.kind == Symbol::Kind::library_kernel) {
    CUfunction function = nullptr;
    if (CUresult const result = driver.cuKernelGetFunction(&function, symbol.kernel); result != CUDA_SUCCESS)
      return from_driver(result);
    value = reinterpret_cast<std::uint64_t>(function);
  } else {
    CUmodule module = nullptr;
    if (cudaError_t const error = module_of(driver, context, *symbol.image, module); error != cudaSuccess)
      return error;
    if (cudaError_t const error = look_up(driver, module, symbol, value, bytes); error != cudaSuccess)
      return error;
  }
  if (!symbol.bindings.add(context, generation, id_of(driver, context), value, bytes, cudaSuccess))
    return cudaErrorMemoryAllocation;
  binding = symbol.bindings.find(context, generation);
  return cudaSuccess;
}

void unload_modules(Fatbin& image) {
  if (leaving()) return;
  image.modules.each(reset_generation(), [](Binding const& binding) {
    auto* const module = reinterpret_cast<CUmodule>(binding.value.load(std::memory_order_relaxed));
    Driver const* const ready = driver(); // it is loaded: it made the module
    if (module == nullptr || ready == nullptr) return;
    if (ready->cuCtxPushCurrent_v2(binding.context.load(std::memory_order_relaxed)) != CUDA_SUCCESS) return;
    ready->cuModuleUnload(module);
    CUcontext popped = nullptr;
    ready->cuCtxPopCurrent_v2(&popped);
  });
}

Symbol* make_symbol(Fatbin* image, Symbol::Kind kind, void const* host, char const* name, std::size_t bytes) {
  auto* const symbol = make<Symbol>();
  if (symbol == nullptr) return nullptr;
  symbol->kind = kind;
  symbol->host = host;
  symbol->name = name;
  symbol->bytes = bytes;
  symbol->image = image;
  return symbol;
}

bool add(Symbol* symbol) {
  if (symbol == nullptr) return false;
  Lock const lock(registry_lock);
  Fatbin& image = *symbol->image;
  symbol->next_of_image = image.symbols;
  image.symbols = symbol;
  image.managed = image.managed || symbol->kind == Symbol::Kind::managed_variable;
  return symbols.insert(symbol->host, symbol);
}

} // namespace

Fatbin* add_image(FatbinWrapper const& wrapper) {
  auto* const image = make<Fatbin>();
  if (image != nullptr) image->wrapper = wrapper;
  return image;
}

void remove_image(Fatbin* image) {
  Lock const lock(registry_lock);
  unload_modules(*image);
  for (Symbol* symbol = image->symbols; symbol != nullptr;) {
    Symbol* const next = symbol->next_of_image;
    release(symbol);
    symbol = next;
  }
  image->modules.clear();
  std::free(image);
}

bool add_symbol(Fatbin* image, Symbol::Kind kind, void const* host, char const* name, std::size_t bytes) {
  return add(make_symbol(image, kind, host, name, bytes));
}

bool add_managed_variable(Fatbin* image, void** host, char const* name, std::size_t bytes) {
  Symbol* const symbol = make_symbol(image, Symbol::Kind::managed_variable, *host, name, bytes);
  if (symbol == nullptr) return false;
  symbol->managed = host;
  symbol->own_memory = *host;
  return add(symbol);
}

cudaError_t load_image(Driver const& driver, CUcontext context, Fatbin& image) {
  Lock const lock(registry_lock);
  CUmodule module = nullptr;
  return module_of(driver, context, image, module);
}

bool add_library_kernel(CUkernel kernel) {
  Lock const lock(registry_lock);
  if (symbols.find(kernel) != nullptr) return true;
  auto* const symbol = make<Symbol>();
  if (symbol == nullptr) return false;
  symbol->kind = Symbol::Kind::library_kernel;
  symbol->host = kernel;
  symbol->kernel = kernel;
  return symbols.insert(kernel, symbol);
}

void remove_library_kernel(CUkernel kernel) {
  Lock const lock(registry_lock);
  Symbol* const symbol = symbols.find(kernel);
  if (symbol != nullptr && symbol->kind == Symbol::Kind::library_kernel) release(symbol);
}

Symbol* find_kernel(void const* function) {
  Symbol* const symbol = symbols.find(function);
  if (symbol == nullptr) return nullptr;
  bool const kernel = symbol->kind == Symbol::Kind::kernel || symbol->kind == Symbol::Kind::library_kernel;
  return kernel ? symbol : nullptr;
}

Symbol* find_kernel(CUfunction function) {
  Lock const lock(registry_lock);
  return symbols.find_if([&](Symbol const& symbol) {
    bool found = false;
    if (symbol.kind == Symbol::Kind::kernel || symbol.kind == Symbol::Kind::library_kernel)
      symbol.bindings.each(reset_generation(), [&](Binding const& binding) {
        found = found ||
                binding.value.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(function);
      });
    return found;
  });
}

Symbol* find_variable(void const* address) {
  Symbol* const symbol = symbols.find(address);
  if (symbol == nullptr) return nullptr;
  bool const variable =
      symbol->kind == Symbol::Kind::variable || symbol->kind == Symbol::Kind::managed_variable;
  return variable ? symbol : nullptr;
}

cudaError_t kernel_handle(void const* function, cudaKernel_t& kernel) {
  Symbol* const symbol = find_kernel(function);
  if (symbol == nullptr) return cudaErrorInvalidDeviceFunction;
  if (symbol->kind == Symbol::Kind::library_kernel) {
    kernel = reinterpret_cast<cudaKernel_t>(symbol->kernel);
    return cudaSuccess;
  }
  Lock const lock(registry_lock);
  if (symbols.find(symbol) == nullptr && !symbols.insert(symbol, symbol)) return cudaErrorMemoryAllocation;
  kernel = reinterpret_cast<cudaKernel_t>(symbol);
  return cudaSuccess;
}

cudaError_t resolve_kernel(Driver const& driver, CUcontext context, Symbol& symbol, CUfunction& function) {
  Binding* binding = nullptr;
  if (cudaError_t const error = bind(driver, context, symbol, binding); error != cudaSuccess) return error;
  function = reinterpret_cast<CUfunction>(binding->value.load(std::memory_order_relaxed));
  return cudaSuccess;
}

cudaError_t resolve_variable(Driver const& driver, CUcontext context, Symbol& symbol, CUdeviceptr& address,
                             std::size_t& bytes) {
  Binding* binding = nullptr;
  if (cudaError_t const error = bind(driver, context, symbol, binding); error != cudaSuccess) return error;
  address = binding->value.load(std::memory_order_relaxed);
  bytes = binding->bytes.load(std::memory_order_relaxed);
  return cudaSuccess;
}

bool forget_if_outlived(Driver const& driver, CUcontext context, Symbol& symbol) {
  Lock const lock(registry_lock);
  unsigned const generation = reset_generation();
  Binding* const binding = symbol.bindings.find(context, generation);
  if (binding == nullptr || binding->context_id == id_of(driver, context)) return false;
  BindingList::drop(*binding);
  if (symbol.image != nullptr)
    if (Binding* const module = symbol.image->modules.find(context, generation)) BindingList::drop(*module);
  return true;
}

} // namespace pegasus::cudart
