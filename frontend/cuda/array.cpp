// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/array.h"

#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/pool.h"

#include <algorithm>
#include <memory>

namespace pegasus::driver {
namespace {

using Description = CUDA_ARRAY3D_DESCRIPTOR;

pegasus_array_shape shape_of(Description const& d, unsigned levels) {
  return {static_cast<std::uint32_t>(d.Width),
          static_cast<std::uint32_t>(d.Height),
          static_cast<std::uint32_t>(d.Depth),
          d.Flags,
          levels,
          static_cast<std::uint8_t>(d.Format),
          static_cast<std::uint8_t>(d.NumChannels),
          0};
}

// Asks for the array. Its addresses are in the table while it exists, so that copies to it are checked as all others.
CUresult make_range(Channel& channel, Context& context, pegasus_array_shape const& shape,
                    std::uint64_t& address) {
  auto const [status, reply] = ask_for_memory(channel, pegasus_array_create_request{shape});
  if (status != CUDA_SUCCESS) return status;
  std::uint64_t const bytes = pegasus_array_level_of(&shape, shape.levels).offset;
  address = reply.address;
  Allocation const range{.base = address,
                         .bytes = bytes,
                         .origin = Allocation::Origin::array,
                         .context = &context,
                         .id = next_id()};
  return outside_host_window(channel, address, bytes) && device_memory().insert(range) ? CUDA_SUCCESS
                                                                                       : CUDA_ERROR_UNKNOWN;
}

CUresult end_range(Channel& channel, std::uint64_t address) {
  (void)device_memory().take(address,
                             [](Allocation const& a) { return a.origin == Allocation::Origin::array; });
  return ask(channel, pegasus_array_destroy_request{address}).status;
}

// The handle is made here; the caller owns the object. nullptr: there are too many handles.
Array* make_array(Context& context, Description const& description, std::uint64_t address,
                  pegasus_array_level const& level, MipmappedArray const* part_of) {
  auto array = std::make_unique<Array>();
  array->context = &context;
  array->description = description;
  array->address = address;
  array->level = level;
  array->part_of = part_of;
  array->handle = insert<Array>(array.get());
  return array->handle == nullptr ? nullptr : array.release();
}

CUresult create(CUarray* handle, Description const& description) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_description(channel, description, false); status != CUDA_SUCCESS)
      return status;
    pegasus_array_shape const shape = shape_of(description, 1);
    std::uint64_t address = 0;
    if (CUresult const status = make_range(channel, context, shape, address); status != CUDA_SUCCESS)
      return status;
    Array* const array =
        make_array(context, description, address, pegasus_array_level_of(&shape, 0), nullptr);
    if (array == nullptr) {
      (void)end_range(channel, address);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = array->handle;
    return CUDA_SUCCESS;
  });
}

// The description of a level that a program may ask for: 0 where the array has no such dimension.
Description description_of(MipmappedArray const& array, pegasus_array_level const& level) {
  Description description = array.description;
  description.Width = level.width;
  if (description.Height != 0) description.Height = level.height;
  if (description.Depth != 0) description.Depth = level.slices;
  return description;
}

bool make_levels(MipmappedArray& array, pegasus_array_shape const& shape) {
  for (unsigned i = 0; i < shape.levels; ++i) {
    pegasus_array_level const level = pegasus_array_level_of(&shape, i);
    Array* const made =
        make_array(*array.context, description_of(array, level), array.address + level.offset, level, &array);
    if (made == nullptr) return false;
    array.levels.push_back(made);
  }
  return true;
}

void drop(MipmappedArray* array) {
  for (Array* const level : array->levels)
    delete erase<Array>(level->handle);
  delete array;
}

} // namespace

void destroy(Channel& channel, Array& array) {
  if (array.part_of != nullptr || erase<Array>(array.handle) == nullptr) return;
  (void)end_range(channel, array.address);
  delete &array;
}

void destroy(Channel& channel, MipmappedArray& array) {
  if (erase<MipmappedArray>(array.handle) == nullptr) return;
  (void)end_range(channel, array.address);
  drop(&array);
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuArrayCreate_v2(CUarray* handle, CUDA_ARRAY_DESCRIPTOR const* description) {
  if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create(handle, {.Width = description->Width,
                         .Height = description->Height,
                         .Depth = 0,
                         .Format = description->Format,
                         .NumChannels = description->NumChannels,
                         .Flags = 0});
}

CUresult cuArray3DCreate_v2(CUarray* handle, CUDA_ARRAY3D_DESCRIPTOR const* description) {
  if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create(handle, *description);
}

CUresult cuArrayDestroy(CUarray handle) {
  return with_device([&](Channel& channel) {
    Array const* const found = find<Array>(handle);
    if (found == nullptr || found->part_of != nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::unique_ptr<Array> const array(erase<Array>(handle));
    return array == nullptr ? CUDA_ERROR_INVALID_HANDLE : end_range(channel, array->address);
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray handle) {
  return with_device([&](Channel&) {
    Array const* const array = find<Array>(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *description = array->description;
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* description, CUarray handle) {
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  CUresult const status = cuArray3DGetDescriptor_v2(description == nullptr ? nullptr : &whole, handle);
  if (status == CUDA_SUCCESS) *description = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return status;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* handle, CUDA_ARRAY3D_DESCRIPTOR const* description,
                                unsigned levels) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || description == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_description(channel, *description, true); status != CUDA_SUCCESS)
      return status;
    auto array = std::make_unique<MipmappedArray>();
    array->context = &context;
    array->description = *description;
    pegasus_array_shape const shape =
        shape_of(*description, std::clamp(levels, 1U, most_levels(*description)));
    if (CUresult const status = make_range(channel, context, shape, array->address); status != CUDA_SUCCESS)
      return status;
    bool const complete = make_levels(*array, shape);
    if (complete) array->handle = insert<MipmappedArray>(array.get());
    if (array->handle == nullptr) {
      (void)end_range(channel, array->address);
      drop(array.release());
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = array.release()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray handle, unsigned number) {
  return with_device([&](Channel&) {
    MipmappedArray const* const array = find<MipmappedArray>(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (level == nullptr || number >= array->levels.size()) return CUDA_ERROR_INVALID_VALUE;
    *level = array->levels[number]->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle) {
  return with_device([&](Channel& channel) {
    MipmappedArray* const array = erase<MipmappedArray>(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const status = end_range(channel, array->address);
    drop(array);
    return status;
  });
}
