// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/kinds.h"

#include "domA/worker/cuda_accelerator.h"
#include "domA/worker/gpu_files.h"
#include "domA/worker/software_accelerator.h"

namespace pegasus::worker {
namespace {

// Without Landlock the files of the worker's own root directory are the bound.
Sandbox driver_sandbox(Jail const& jail, Files const& files) {
  reserve_numbers();
  bool const bounded = only_files(files);
  return {.gpu = true, .opens_files = bounded || jail.own_namespaces != 0};
}

constexpr std::array<KindOfWorker, device::kinds.size()> table{{
    {"cuda", probe_cuda, open_cuda, gpu_files, driver_sandbox},
    {"software", probe_software, open_software, [](DeviceChoice const&) { return Files{}; },
     [](Jail const&, Files const&) { return Sandbox{}; }},
}};

static_assert(std::ranges::equal(table, device::kinds, {}, &KindOfWorker::name, &device::Kind::name));

} // namespace

KindOfWorker const* kind_of_worker(std::uint32_t number) {
  return number < table.size() ? &table[number] : nullptr;
}

} // namespace pegasus::worker
