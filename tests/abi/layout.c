/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layouts that guests and workers of all versions of this protocol have agreed on. Written by
 * ci/check-abi --update, checked by ci/check-abi; a number that changes here needs a new
 * PEGASUS_PROTOCOL_VERSION.
 */
#include "frontend/protocol/channel.h"
#include "frontend/protocol/calls.h"
#include "frontend/protocol/handshake.h"
#include "frontend/protocol/totals.h"
#include "frontend/protocol/xen.h"
#include <stddef.h>

/* C99 has no _Static_assert. */
#define HOLDS(name, condition) typedef char holds_##name[(condition) ? 1 : -1]
#define SIZE(type, bytes) HOLDS(size_of_##type, sizeof(struct type) == (bytes))
#define OFFSET(type, field, bytes) HOLDS(type##_##field, offsetof(struct type, field) == (bytes))
#define BYTES(type, field) sizeof(((struct type*)0)->field)
#define NO_PADDING(type, sum) HOLDS(no_padding_in_##type, sizeof(struct type) == (sum))

SIZE(pegasus_guest_statistics, 520);
OFFSET(pegasus_guest_statistics, sync_calls, 0);
OFFSET(pegasus_guest_statistics, posted_calls, 4);
OFFSET(pegasus_guest_statistics, latency_bucket, 8);
NO_PADDING(pegasus_guest_statistics,
           BYTES(pegasus_guest_statistics, sync_calls) +
           BYTES(pegasus_guest_statistics, posted_calls) +
           BYTES(pegasus_guest_statistics, latency_bucket));

SIZE(pegasus_channel_header, 776);
OFFSET(pegasus_channel_header, magic, 0);
OFFSET(pegasus_channel_header, version, 4);
OFFSET(pegasus_channel_header, slots, 8);
OFFSET(pegasus_channel_header, arena_bytes, 12);
OFFSET(pegasus_channel_header, request_offset, 16);
OFFSET(pegasus_channel_header, reply_offset, 20);
OFFSET(pegasus_channel_header, arena_offset, 24);
OFFSET(pegasus_channel_header, total_bytes, 28);
OFFSET(pegasus_channel_header, guest_alive, 32);
OFFSET(pegasus_channel_header, host_alive, 33);
OFFSET(pegasus_channel_header, reserved0, 34);
OFFSET(pegasus_channel_header, guest_parked, 64);
OFFSET(pegasus_channel_header, reserved1, 68);
OFFSET(pegasus_channel_header, worker_parked, 128);
OFFSET(pegasus_channel_header, reserved2, 132);
OFFSET(pegasus_channel_header, completed, 192);
OFFSET(pegasus_channel_header, worker_state, 196);
OFFSET(pegasus_channel_header, close_reason, 200);
OFFSET(pegasus_channel_header, poll_ns, 204);
OFFSET(pegasus_channel_header, reserved3, 208);
OFFSET(pegasus_channel_header, statistics, 256);
NO_PADDING(pegasus_channel_header,
           BYTES(pegasus_channel_header, magic) +
           BYTES(pegasus_channel_header, version) +
           BYTES(pegasus_channel_header, slots) +
           BYTES(pegasus_channel_header, arena_bytes) +
           BYTES(pegasus_channel_header, request_offset) +
           BYTES(pegasus_channel_header, reply_offset) +
           BYTES(pegasus_channel_header, arena_offset) +
           BYTES(pegasus_channel_header, total_bytes) +
           BYTES(pegasus_channel_header, guest_alive) +
           BYTES(pegasus_channel_header, host_alive) +
           BYTES(pegasus_channel_header, reserved0) +
           BYTES(pegasus_channel_header, guest_parked) +
           BYTES(pegasus_channel_header, reserved1) +
           BYTES(pegasus_channel_header, worker_parked) +
           BYTES(pegasus_channel_header, reserved2) +
           BYTES(pegasus_channel_header, completed) +
           BYTES(pegasus_channel_header, worker_state) +
           BYTES(pegasus_channel_header, close_reason) +
           BYTES(pegasus_channel_header, poll_ns) +
           BYTES(pegasus_channel_header, reserved3) +
           BYTES(pegasus_channel_header, statistics));

SIZE(pegasus_request, 128);
OFFSET(pegasus_request, sequence, 0);
OFFSET(pegasus_request, call, 4);
OFFSET(pegasus_request, guest_cpu, 6);
OFFSET(pegasus_request, data_offset, 8);
OFFSET(pegasus_request, data_bytes, 12);
OFFSET(pegasus_request, body, 16);
NO_PADDING(pegasus_request,
           BYTES(pegasus_request, sequence) +
           BYTES(pegasus_request, call) +
           BYTES(pegasus_request, guest_cpu) +
           BYTES(pegasus_request, data_offset) +
           BYTES(pegasus_request, data_bytes) +
           BYTES(pegasus_request, body));

SIZE(pegasus_reply, 64);
OFFSET(pegasus_reply, sequence, 0);
OFFSET(pegasus_reply, status, 4);
OFFSET(pegasus_reply, flags, 8);
OFFSET(pegasus_reply, reserved, 12);
OFFSET(pegasus_reply, body, 16);
NO_PADDING(pegasus_reply,
           BYTES(pegasus_reply, sequence) +
           BYTES(pegasus_reply, status) +
           BYTES(pegasus_reply, flags) +
           BYTES(pegasus_reply, reserved) +
           BYTES(pegasus_reply, body));

SIZE(pegasus_ping_request, 8);
OFFSET(pegasus_ping_request, value, 0);
NO_PADDING(pegasus_ping_request,
           BYTES(pegasus_ping_request, value));

SIZE(pegasus_ping_reply, 8);
OFFSET(pegasus_ping_reply, value, 0);
NO_PADDING(pegasus_ping_reply,
           BYTES(pegasus_ping_reply, value));

SIZE(pegasus_output_read_request, 8);
OFFSET(pegasus_output_read_request, reserved, 0);
NO_PADDING(pegasus_output_read_request,
           BYTES(pegasus_output_read_request, reserved));

SIZE(pegasus_output_read_reply, 8);
OFFSET(pegasus_output_read_reply, kind, 0);
OFFSET(pegasus_output_read_reply, bytes, 4);
NO_PADDING(pegasus_output_read_reply,
           BYTES(pegasus_output_read_reply, kind) +
           BYTES(pegasus_output_read_reply, bytes));

SIZE(pegasus_module_begin_request, 16);
OFFSET(pegasus_module_begin_request, image_bytes, 0);
OFFSET(pegasus_module_begin_request, image_kind, 8);
OFFSET(pegasus_module_begin_request, reserved, 12);
NO_PADDING(pegasus_module_begin_request,
           BYTES(pegasus_module_begin_request, image_bytes) +
           BYTES(pegasus_module_begin_request, image_kind) +
           BYTES(pegasus_module_begin_request, reserved));

SIZE(pegasus_module_begin_reply, 8);
OFFSET(pegasus_module_begin_reply, reserved, 0);
NO_PADDING(pegasus_module_begin_reply,
           BYTES(pegasus_module_begin_reply, reserved));

SIZE(pegasus_module_data_request, 8);
OFFSET(pegasus_module_data_request, offset, 0);
NO_PADDING(pegasus_module_data_request,
           BYTES(pegasus_module_data_request, offset));

SIZE(pegasus_module_load_request, 8);
OFFSET(pegasus_module_load_request, reserved, 0);
NO_PADDING(pegasus_module_load_request,
           BYTES(pegasus_module_load_request, reserved));

SIZE(pegasus_module_load_reply, 8);
OFFSET(pegasus_module_load_reply, module, 0);
NO_PADDING(pegasus_module_load_reply,
           BYTES(pegasus_module_load_reply, module));

SIZE(pegasus_module_unload_request, 8);
OFFSET(pegasus_module_unload_request, module, 0);
NO_PADDING(pegasus_module_unload_request,
           BYTES(pegasus_module_unload_request, module));

SIZE(pegasus_module_unload_reply, 8);
OFFSET(pegasus_module_unload_reply, reserved, 0);
NO_PADDING(pegasus_module_unload_reply,
           BYTES(pegasus_module_unload_reply, reserved));

SIZE(pegasus_image_set, 8);
OFFSET(pegasus_image_set, magic, 0);
OFFSET(pegasus_image_set, parts, 4);
NO_PADDING(pegasus_image_set,
           BYTES(pegasus_image_set, magic) +
           BYTES(pegasus_image_set, parts));

SIZE(pegasus_module_function_request, 16);
OFFSET(pegasus_module_function_request, module, 0);
OFFSET(pegasus_module_function_request, name_bytes, 8);
OFFSET(pegasus_module_function_request, reserved, 12);
NO_PADDING(pegasus_module_function_request,
           BYTES(pegasus_module_function_request, module) +
           BYTES(pegasus_module_function_request, name_bytes) +
           BYTES(pegasus_module_function_request, reserved));

SIZE(pegasus_parameter, 8);
OFFSET(pegasus_parameter, offset, 0);
OFFSET(pegasus_parameter, bytes, 4);
NO_PADDING(pegasus_parameter,
           BYTES(pegasus_parameter, offset) +
           BYTES(pegasus_parameter, bytes));

SIZE(pegasus_module_function_reply, 48);
OFFSET(pegasus_module_function_reply, function, 0);
OFFSET(pegasus_module_function_reply, parameter_bytes, 8);
OFFSET(pegasus_module_function_reply, parameter_count, 12);
OFFSET(pegasus_module_function_reply, parameters_written, 14);
OFFSET(pegasus_module_function_reply, max_threads_per_block, 16);
OFFSET(pegasus_module_function_reply, static_shared_bytes, 20);
OFFSET(pegasus_module_function_reply, const_bytes, 24);
OFFSET(pegasus_module_function_reply, local_bytes, 28);
OFFSET(pegasus_module_function_reply, registers, 32);
OFFSET(pegasus_module_function_reply, max_dynamic_shared_bytes, 36);
OFFSET(pegasus_module_function_reply, ptx_version, 40);
OFFSET(pegasus_module_function_reply, binary_version, 42);
OFFSET(pegasus_module_function_reply, required_cluster, 44);
OFFSET(pegasus_module_function_reply, cluster_must_be_set, 47);
NO_PADDING(pegasus_module_function_reply,
           BYTES(pegasus_module_function_reply, function) +
           BYTES(pegasus_module_function_reply, parameter_bytes) +
           BYTES(pegasus_module_function_reply, parameter_count) +
           BYTES(pegasus_module_function_reply, parameters_written) +
           BYTES(pegasus_module_function_reply, max_threads_per_block) +
           BYTES(pegasus_module_function_reply, static_shared_bytes) +
           BYTES(pegasus_module_function_reply, const_bytes) +
           BYTES(pegasus_module_function_reply, local_bytes) +
           BYTES(pegasus_module_function_reply, registers) +
           BYTES(pegasus_module_function_reply, max_dynamic_shared_bytes) +
           BYTES(pegasus_module_function_reply, ptx_version) +
           BYTES(pegasus_module_function_reply, binary_version) +
           BYTES(pegasus_module_function_reply, required_cluster) +
           BYTES(pegasus_module_function_reply, cluster_must_be_set));

SIZE(pegasus_module_global_request, 16);
OFFSET(pegasus_module_global_request, module, 0);
OFFSET(pegasus_module_global_request, name_bytes, 8);
OFFSET(pegasus_module_global_request, reserved, 12);
NO_PADDING(pegasus_module_global_request,
           BYTES(pegasus_module_global_request, module) +
           BYTES(pegasus_module_global_request, name_bytes) +
           BYTES(pegasus_module_global_request, reserved));

SIZE(pegasus_module_global_reply, 16);
OFFSET(pegasus_module_global_reply, address, 0);
OFFSET(pegasus_module_global_reply, bytes, 8);
NO_PADDING(pegasus_module_global_reply,
           BYTES(pegasus_module_global_reply, address) +
           BYTES(pegasus_module_global_reply, bytes));

SIZE(pegasus_function_set_attribute_request, 16);
OFFSET(pegasus_function_set_attribute_request, function, 0);
OFFSET(pegasus_function_set_attribute_request, attribute, 8);
OFFSET(pegasus_function_set_attribute_request, value, 12);
NO_PADDING(pegasus_function_set_attribute_request,
           BYTES(pegasus_function_set_attribute_request, function) +
           BYTES(pegasus_function_set_attribute_request, attribute) +
           BYTES(pegasus_function_set_attribute_request, value));

SIZE(pegasus_function_set_attribute_reply, 8);
OFFSET(pegasus_function_set_attribute_reply, reserved, 0);
NO_PADDING(pegasus_function_set_attribute_reply,
           BYTES(pegasus_function_set_attribute_reply, reserved));

SIZE(pegasus_memory_allocate_request, 16);
OFFSET(pegasus_memory_allocate_request, bytes, 0);
OFFSET(pegasus_memory_allocate_request, place, 8);
OFFSET(pegasus_memory_allocate_request, reserved, 12);
NO_PADDING(pegasus_memory_allocate_request,
           BYTES(pegasus_memory_allocate_request, bytes) +
           BYTES(pegasus_memory_allocate_request, place) +
           BYTES(pegasus_memory_allocate_request, reserved));

SIZE(pegasus_memory_allocate_reply, 8);
OFFSET(pegasus_memory_allocate_reply, address, 0);
NO_PADDING(pegasus_memory_allocate_reply,
           BYTES(pegasus_memory_allocate_reply, address));

SIZE(pegasus_memory_free_request, 8);
OFFSET(pegasus_memory_free_request, address, 0);
NO_PADDING(pegasus_memory_free_request,
           BYTES(pegasus_memory_free_request, address));

SIZE(pegasus_memory_free_reply, 8);
OFFSET(pegasus_memory_free_reply, reserved, 0);
NO_PADDING(pegasus_memory_free_reply,
           BYTES(pegasus_memory_free_reply, reserved));

SIZE(pegasus_memory_info_request, 8);
OFFSET(pegasus_memory_info_request, reserved, 0);
NO_PADDING(pegasus_memory_info_request,
           BYTES(pegasus_memory_info_request, reserved));

SIZE(pegasus_memory_info_reply, 16);
OFFSET(pegasus_memory_info_reply, free_bytes, 0);
OFFSET(pegasus_memory_info_reply, total_bytes, 8);
NO_PADDING(pegasus_memory_info_reply,
           BYTES(pegasus_memory_info_reply, free_bytes) +
           BYTES(pegasus_memory_info_reply, total_bytes));

SIZE(pegasus_memory_range_request, 8);
OFFSET(pegasus_memory_range_request, address, 0);
NO_PADDING(pegasus_memory_range_request,
           BYTES(pegasus_memory_range_request, address));

SIZE(pegasus_memory_range_reply, 16);
OFFSET(pegasus_memory_range_reply, base, 0);
OFFSET(pegasus_memory_range_reply, bytes, 8);
NO_PADDING(pegasus_memory_range_reply,
           BYTES(pegasus_memory_range_reply, base) +
           BYTES(pegasus_memory_range_reply, bytes));

SIZE(pegasus_addresses_reserve_request, 24);
OFFSET(pegasus_addresses_reserve_request, bytes, 0);
OFFSET(pegasus_addresses_reserve_request, alignment, 8);
OFFSET(pegasus_addresses_reserve_request, hint, 16);
NO_PADDING(pegasus_addresses_reserve_request,
           BYTES(pegasus_addresses_reserve_request, bytes) +
           BYTES(pegasus_addresses_reserve_request, alignment) +
           BYTES(pegasus_addresses_reserve_request, hint));

SIZE(pegasus_addresses_reserve_reply, 8);
OFFSET(pegasus_addresses_reserve_reply, address, 0);
NO_PADDING(pegasus_addresses_reserve_reply,
           BYTES(pegasus_addresses_reserve_reply, address));

SIZE(pegasus_addresses_free_request, 16);
OFFSET(pegasus_addresses_free_request, address, 0);
OFFSET(pegasus_addresses_free_request, bytes, 8);
NO_PADDING(pegasus_addresses_free_request,
           BYTES(pegasus_addresses_free_request, address) +
           BYTES(pegasus_addresses_free_request, bytes));

SIZE(pegasus_addresses_free_reply, 8);
OFFSET(pegasus_addresses_free_reply, reserved, 0);
NO_PADDING(pegasus_addresses_free_reply,
           BYTES(pegasus_addresses_free_reply, reserved));

SIZE(pegasus_physical_create_request, 8);
OFFSET(pegasus_physical_create_request, bytes, 0);
NO_PADDING(pegasus_physical_create_request,
           BYTES(pegasus_physical_create_request, bytes));

SIZE(pegasus_physical_create_reply, 8);
OFFSET(pegasus_physical_create_reply, memory, 0);
NO_PADDING(pegasus_physical_create_reply,
           BYTES(pegasus_physical_create_reply, memory));

SIZE(pegasus_physical_release_request, 8);
OFFSET(pegasus_physical_release_request, memory, 0);
NO_PADDING(pegasus_physical_release_request,
           BYTES(pegasus_physical_release_request, memory));

SIZE(pegasus_physical_release_reply, 8);
OFFSET(pegasus_physical_release_reply, reserved, 0);
NO_PADDING(pegasus_physical_release_reply,
           BYTES(pegasus_physical_release_reply, reserved));

SIZE(pegasus_memory_map_request, 24);
OFFSET(pegasus_memory_map_request, memory, 0);
OFFSET(pegasus_memory_map_request, address, 8);
OFFSET(pegasus_memory_map_request, bytes, 16);
NO_PADDING(pegasus_memory_map_request,
           BYTES(pegasus_memory_map_request, memory) +
           BYTES(pegasus_memory_map_request, address) +
           BYTES(pegasus_memory_map_request, bytes));

SIZE(pegasus_memory_map_reply, 8);
OFFSET(pegasus_memory_map_reply, reserved, 0);
NO_PADDING(pegasus_memory_map_reply,
           BYTES(pegasus_memory_map_reply, reserved));

SIZE(pegasus_memory_unmap_request, 16);
OFFSET(pegasus_memory_unmap_request, address, 0);
OFFSET(pegasus_memory_unmap_request, bytes, 8);
NO_PADDING(pegasus_memory_unmap_request,
           BYTES(pegasus_memory_unmap_request, address) +
           BYTES(pegasus_memory_unmap_request, bytes));

SIZE(pegasus_memory_unmap_reply, 8);
OFFSET(pegasus_memory_unmap_reply, reserved, 0);
NO_PADDING(pegasus_memory_unmap_reply,
           BYTES(pegasus_memory_unmap_reply, reserved));

SIZE(pegasus_memory_set_access_request, 24);
OFFSET(pegasus_memory_set_access_request, address, 0);
OFFSET(pegasus_memory_set_access_request, bytes, 8);
OFFSET(pegasus_memory_set_access_request, access, 16);
OFFSET(pegasus_memory_set_access_request, reserved, 20);
NO_PADDING(pegasus_memory_set_access_request,
           BYTES(pegasus_memory_set_access_request, address) +
           BYTES(pegasus_memory_set_access_request, bytes) +
           BYTES(pegasus_memory_set_access_request, access) +
           BYTES(pegasus_memory_set_access_request, reserved));

SIZE(pegasus_memory_set_access_reply, 8);
OFFSET(pegasus_memory_set_access_reply, reserved, 0);
NO_PADDING(pegasus_memory_set_access_reply,
           BYTES(pegasus_memory_set_access_reply, reserved));

SIZE(pegasus_array_shape, 24);
OFFSET(pegasus_array_shape, width, 0);
OFFSET(pegasus_array_shape, height, 4);
OFFSET(pegasus_array_shape, depth, 8);
OFFSET(pegasus_array_shape, flags, 12);
OFFSET(pegasus_array_shape, levels, 16);
OFFSET(pegasus_array_shape, format, 20);
OFFSET(pegasus_array_shape, channels, 21);
OFFSET(pegasus_array_shape, reserved, 22);
NO_PADDING(pegasus_array_shape,
           BYTES(pegasus_array_shape, width) +
           BYTES(pegasus_array_shape, height) +
           BYTES(pegasus_array_shape, depth) +
           BYTES(pegasus_array_shape, flags) +
           BYTES(pegasus_array_shape, levels) +
           BYTES(pegasus_array_shape, format) +
           BYTES(pegasus_array_shape, channels) +
           BYTES(pegasus_array_shape, reserved));

SIZE(pegasus_array_create_request, 24);
OFFSET(pegasus_array_create_request, shape, 0);
NO_PADDING(pegasus_array_create_request,
           BYTES(pegasus_array_create_request, shape));

SIZE(pegasus_array_create_reply, 8);
OFFSET(pegasus_array_create_reply, address, 0);
NO_PADDING(pegasus_array_create_reply,
           BYTES(pegasus_array_create_reply, address));

SIZE(pegasus_array_destroy_request, 8);
OFFSET(pegasus_array_destroy_request, address, 0);
NO_PADDING(pegasus_array_destroy_request,
           BYTES(pegasus_array_destroy_request, address));

SIZE(pegasus_array_destroy_reply, 8);
OFFSET(pegasus_array_destroy_reply, reserved, 0);
NO_PADDING(pegasus_array_destroy_reply,
           BYTES(pegasus_array_destroy_reply, reserved));

SIZE(pegasus_texture_create_request, 80);
OFFSET(pegasus_texture_create_request, address, 0);
OFFSET(pegasus_texture_create_request, bytes, 8);
OFFSET(pegasus_texture_create_request, pitch, 16);
OFFSET(pegasus_texture_create_request, width, 24);
OFFSET(pegasus_texture_create_request, height, 28);
OFFSET(pegasus_texture_create_request, source, 32);
OFFSET(pegasus_texture_create_request, format, 33);
OFFSET(pegasus_texture_create_request, channels, 34);
OFFSET(pegasus_texture_create_request, address_mode, 35);
OFFSET(pegasus_texture_create_request, filter, 38);
OFFSET(pegasus_texture_create_request, mipmap_filter, 39);
OFFSET(pegasus_texture_create_request, flags, 40);
OFFSET(pegasus_texture_create_request, max_anisotropy, 44);
OFFSET(pegasus_texture_create_request, mipmap_bias, 48);
OFFSET(pegasus_texture_create_request, mipmap_least, 52);
OFFSET(pegasus_texture_create_request, mipmap_most, 56);
OFFSET(pegasus_texture_create_request, border, 60);
OFFSET(pegasus_texture_create_request, reserved, 76);
NO_PADDING(pegasus_texture_create_request,
           BYTES(pegasus_texture_create_request, address) +
           BYTES(pegasus_texture_create_request, bytes) +
           BYTES(pegasus_texture_create_request, pitch) +
           BYTES(pegasus_texture_create_request, width) +
           BYTES(pegasus_texture_create_request, height) +
           BYTES(pegasus_texture_create_request, source) +
           BYTES(pegasus_texture_create_request, format) +
           BYTES(pegasus_texture_create_request, channels) +
           BYTES(pegasus_texture_create_request, address_mode) +
           BYTES(pegasus_texture_create_request, filter) +
           BYTES(pegasus_texture_create_request, mipmap_filter) +
           BYTES(pegasus_texture_create_request, flags) +
           BYTES(pegasus_texture_create_request, max_anisotropy) +
           BYTES(pegasus_texture_create_request, mipmap_bias) +
           BYTES(pegasus_texture_create_request, mipmap_least) +
           BYTES(pegasus_texture_create_request, mipmap_most) +
           BYTES(pegasus_texture_create_request, border) +
           BYTES(pegasus_texture_create_request, reserved));

SIZE(pegasus_texture_create_reply, 8);
OFFSET(pegasus_texture_create_reply, texture, 0);
NO_PADDING(pegasus_texture_create_reply,
           BYTES(pegasus_texture_create_reply, texture));

SIZE(pegasus_texture_destroy_request, 8);
OFFSET(pegasus_texture_destroy_request, texture, 0);
NO_PADDING(pegasus_texture_destroy_request,
           BYTES(pegasus_texture_destroy_request, texture));

SIZE(pegasus_texture_destroy_reply, 8);
OFFSET(pegasus_texture_destroy_reply, reserved, 0);
NO_PADDING(pegasus_texture_destroy_reply,
           BYTES(pegasus_texture_destroy_reply, reserved));

SIZE(pegasus_surface_create_request, 8);
OFFSET(pegasus_surface_create_request, address, 0);
NO_PADDING(pegasus_surface_create_request,
           BYTES(pegasus_surface_create_request, address));

SIZE(pegasus_surface_create_reply, 8);
OFFSET(pegasus_surface_create_reply, surface, 0);
NO_PADDING(pegasus_surface_create_reply,
           BYTES(pegasus_surface_create_reply, surface));

SIZE(pegasus_surface_destroy_request, 8);
OFFSET(pegasus_surface_destroy_request, surface, 0);
NO_PADDING(pegasus_surface_destroy_request,
           BYTES(pegasus_surface_destroy_request, surface));

SIZE(pegasus_surface_destroy_reply, 8);
OFFSET(pegasus_surface_destroy_reply, reserved, 0);
NO_PADDING(pegasus_surface_destroy_reply,
           BYTES(pegasus_surface_destroy_reply, reserved));

SIZE(pegasus_copy_to_device_request, 40);
OFFSET(pegasus_copy_to_device_request, stream, 0);
OFFSET(pegasus_copy_to_device_request, address, 8);
OFFSET(pegasus_copy_to_device_request, pitch, 16);
OFFSET(pegasus_copy_to_device_request, row_bytes, 24);
OFFSET(pegasus_copy_to_device_request, rows, 32);
NO_PADDING(pegasus_copy_to_device_request,
           BYTES(pegasus_copy_to_device_request, stream) +
           BYTES(pegasus_copy_to_device_request, address) +
           BYTES(pegasus_copy_to_device_request, pitch) +
           BYTES(pegasus_copy_to_device_request, row_bytes) +
           BYTES(pegasus_copy_to_device_request, rows));

SIZE(pegasus_copy_from_device_request, 40);
OFFSET(pegasus_copy_from_device_request, stream, 0);
OFFSET(pegasus_copy_from_device_request, address, 8);
OFFSET(pegasus_copy_from_device_request, pitch, 16);
OFFSET(pegasus_copy_from_device_request, row_bytes, 24);
OFFSET(pegasus_copy_from_device_request, rows, 32);
NO_PADDING(pegasus_copy_from_device_request,
           BYTES(pegasus_copy_from_device_request, stream) +
           BYTES(pegasus_copy_from_device_request, address) +
           BYTES(pegasus_copy_from_device_request, pitch) +
           BYTES(pegasus_copy_from_device_request, row_bytes) +
           BYTES(pegasus_copy_from_device_request, rows));

SIZE(pegasus_copy_from_device_reply, 8);
OFFSET(pegasus_copy_from_device_reply, reserved, 0);
NO_PADDING(pegasus_copy_from_device_reply,
           BYTES(pegasus_copy_from_device_reply, reserved));

SIZE(pegasus_copy_device_request, 56);
OFFSET(pegasus_copy_device_request, stream, 0);
OFFSET(pegasus_copy_device_request, target, 8);
OFFSET(pegasus_copy_device_request, target_pitch, 16);
OFFSET(pegasus_copy_device_request, source, 24);
OFFSET(pegasus_copy_device_request, source_pitch, 32);
OFFSET(pegasus_copy_device_request, row_bytes, 40);
OFFSET(pegasus_copy_device_request, rows, 48);
NO_PADDING(pegasus_copy_device_request,
           BYTES(pegasus_copy_device_request, stream) +
           BYTES(pegasus_copy_device_request, target) +
           BYTES(pegasus_copy_device_request, target_pitch) +
           BYTES(pegasus_copy_device_request, source) +
           BYTES(pegasus_copy_device_request, source_pitch) +
           BYTES(pegasus_copy_device_request, row_bytes) +
           BYTES(pegasus_copy_device_request, rows));

SIZE(pegasus_fill_request, 48);
OFFSET(pegasus_fill_request, stream, 0);
OFFSET(pegasus_fill_request, address, 8);
OFFSET(pegasus_fill_request, pitch, 16);
OFFSET(pegasus_fill_request, row_elements, 24);
OFFSET(pegasus_fill_request, rows, 32);
OFFSET(pegasus_fill_request, element_bytes, 40);
OFFSET(pegasus_fill_request, value, 44);
NO_PADDING(pegasus_fill_request,
           BYTES(pegasus_fill_request, stream) +
           BYTES(pegasus_fill_request, address) +
           BYTES(pegasus_fill_request, pitch) +
           BYTES(pegasus_fill_request, row_elements) +
           BYTES(pegasus_fill_request, rows) +
           BYTES(pegasus_fill_request, element_bytes) +
           BYTES(pegasus_fill_request, value));

SIZE(pegasus_launch_request, 48);
OFFSET(pegasus_launch_request, function, 0);
OFFSET(pegasus_launch_request, stream, 8);
OFFSET(pegasus_launch_request, grid, 16);
OFFSET(pegasus_launch_request, block, 28);
OFFSET(pegasus_launch_request, parameter_bytes, 34);
OFFSET(pegasus_launch_request, dynamic_shared_bytes, 36);
OFFSET(pegasus_launch_request, flags, 40);
OFFSET(pegasus_launch_request, reserved, 44);
NO_PADDING(pegasus_launch_request,
           BYTES(pegasus_launch_request, function) +
           BYTES(pegasus_launch_request, stream) +
           BYTES(pegasus_launch_request, grid) +
           BYTES(pegasus_launch_request, block) +
           BYTES(pegasus_launch_request, parameter_bytes) +
           BYTES(pegasus_launch_request, dynamic_shared_bytes) +
           BYTES(pegasus_launch_request, flags) +
           BYTES(pegasus_launch_request, reserved));

SIZE(pegasus_launch_attributes, 32);
OFFSET(pegasus_launch_attributes, set, 0);
OFFSET(pegasus_launch_attributes, priority, 4);
OFFSET(pegasus_launch_attributes, cluster, 8);
OFFSET(pegasus_launch_attributes, preferred_cluster, 14);
OFFSET(pegasus_launch_attributes, cluster_scheduling, 20);
OFFSET(pegasus_launch_attributes, memory_domain, 21);
OFFSET(pegasus_launch_attributes, memory_domain_map, 22);
OFFSET(pegasus_launch_attributes, carveout, 24);
OFFSET(pegasus_launch_attributes, reserved, 25);
NO_PADDING(pegasus_launch_attributes,
           BYTES(pegasus_launch_attributes, set) +
           BYTES(pegasus_launch_attributes, priority) +
           BYTES(pegasus_launch_attributes, cluster) +
           BYTES(pegasus_launch_attributes, preferred_cluster) +
           BYTES(pegasus_launch_attributes, cluster_scheduling) +
           BYTES(pegasus_launch_attributes, memory_domain) +
           BYTES(pegasus_launch_attributes, memory_domain_map) +
           BYTES(pegasus_launch_attributes, carveout) +
           BYTES(pegasus_launch_attributes, reserved));

SIZE(pegasus_launch_with_attributes_request, 80);
OFFSET(pegasus_launch_with_attributes_request, launch, 0);
OFFSET(pegasus_launch_with_attributes_request, attributes, 48);
NO_PADDING(pegasus_launch_with_attributes_request,
           BYTES(pegasus_launch_with_attributes_request, launch) +
           BYTES(pegasus_launch_with_attributes_request, attributes));

SIZE(pegasus_cluster_occupancy_request, 88);
OFFSET(pegasus_cluster_occupancy_request, launch, 0);
OFFSET(pegasus_cluster_occupancy_request, attributes, 48);
OFFSET(pegasus_cluster_occupancy_request, question, 80);
OFFSET(pegasus_cluster_occupancy_request, reserved, 84);
NO_PADDING(pegasus_cluster_occupancy_request,
           BYTES(pegasus_cluster_occupancy_request, launch) +
           BYTES(pegasus_cluster_occupancy_request, attributes) +
           BYTES(pegasus_cluster_occupancy_request, question) +
           BYTES(pegasus_cluster_occupancy_request, reserved));

SIZE(pegasus_cluster_occupancy_reply, 8);
OFFSET(pegasus_cluster_occupancy_reply, value, 0);
OFFSET(pegasus_cluster_occupancy_reply, reserved, 4);
NO_PADDING(pegasus_cluster_occupancy_reply,
           BYTES(pegasus_cluster_occupancy_reply, value) +
           BYTES(pegasus_cluster_occupancy_reply, reserved));

SIZE(pegasus_tensor_map, 288);
OFFSET(pegasus_tensor_map, descriptor, 0);
OFFSET(pegasus_tensor_map, address, 128);
OFFSET(pegasus_tensor_map, dimensions, 136);
OFFSET(pegasus_tensor_map, strides, 176);
OFFSET(pegasus_tensor_map, box, 208);
OFFSET(pegasus_tensor_map, element_strides, 228);
OFFSET(pegasus_tensor_map, lower, 248);
OFFSET(pegasus_tensor_map, upper, 260);
OFFSET(pegasus_tensor_map, channels, 272);
OFFSET(pegasus_tensor_map, pixels, 276);
OFFSET(pegasus_tensor_map, kind, 280);
OFFSET(pegasus_tensor_map, rank, 281);
OFFSET(pegasus_tensor_map, data_type, 282);
OFFSET(pegasus_tensor_map, interleave, 283);
OFFSET(pegasus_tensor_map, swizzle, 284);
OFFSET(pegasus_tensor_map, promotion, 285);
OFFSET(pegasus_tensor_map, fill, 286);
OFFSET(pegasus_tensor_map, mode, 287);
NO_PADDING(pegasus_tensor_map,
           BYTES(pegasus_tensor_map, descriptor) +
           BYTES(pegasus_tensor_map, address) +
           BYTES(pegasus_tensor_map, dimensions) +
           BYTES(pegasus_tensor_map, strides) +
           BYTES(pegasus_tensor_map, box) +
           BYTES(pegasus_tensor_map, element_strides) +
           BYTES(pegasus_tensor_map, lower) +
           BYTES(pegasus_tensor_map, upper) +
           BYTES(pegasus_tensor_map, channels) +
           BYTES(pegasus_tensor_map, pixels) +
           BYTES(pegasus_tensor_map, kind) +
           BYTES(pegasus_tensor_map, rank) +
           BYTES(pegasus_tensor_map, data_type) +
           BYTES(pegasus_tensor_map, interleave) +
           BYTES(pegasus_tensor_map, swizzle) +
           BYTES(pegasus_tensor_map, promotion) +
           BYTES(pegasus_tensor_map, fill) +
           BYTES(pegasus_tensor_map, mode));

SIZE(pegasus_tensor_map_encode_request, 8);
OFFSET(pegasus_tensor_map_encode_request, reserved, 0);
NO_PADDING(pegasus_tensor_map_encode_request,
           BYTES(pegasus_tensor_map_encode_request, reserved));

SIZE(pegasus_tensor_map_encode_reply, 8);
OFFSET(pegasus_tensor_map_encode_reply, reserved, 0);
NO_PADDING(pegasus_tensor_map_encode_reply,
           BYTES(pegasus_tensor_map_encode_reply, reserved));

SIZE(pegasus_stream_create_request, 8);
OFFSET(pegasus_stream_create_request, flags, 0);
OFFSET(pegasus_stream_create_request, priority, 4);
NO_PADDING(pegasus_stream_create_request,
           BYTES(pegasus_stream_create_request, flags) +
           BYTES(pegasus_stream_create_request, priority));

SIZE(pegasus_stream_create_reply, 8);
OFFSET(pegasus_stream_create_reply, stream, 0);
NO_PADDING(pegasus_stream_create_reply,
           BYTES(pegasus_stream_create_reply, stream));

SIZE(pegasus_stream_destroy_request, 8);
OFFSET(pegasus_stream_destroy_request, stream, 0);
NO_PADDING(pegasus_stream_destroy_request,
           BYTES(pegasus_stream_destroy_request, stream));

SIZE(pegasus_stream_query_request, 8);
OFFSET(pegasus_stream_query_request, stream, 0);
NO_PADDING(pegasus_stream_query_request,
           BYTES(pegasus_stream_query_request, stream));

SIZE(pegasus_stream_query_reply, 8);
OFFSET(pegasus_stream_query_reply, reserved, 0);
NO_PADDING(pegasus_stream_query_reply,
           BYTES(pegasus_stream_query_reply, reserved));

SIZE(pegasus_stream_synchronize_request, 8);
OFFSET(pegasus_stream_synchronize_request, stream, 0);
NO_PADDING(pegasus_stream_synchronize_request,
           BYTES(pegasus_stream_synchronize_request, stream));

SIZE(pegasus_stream_synchronize_reply, 8);
OFFSET(pegasus_stream_synchronize_reply, reserved, 0);
NO_PADDING(pegasus_stream_synchronize_reply,
           BYTES(pegasus_stream_synchronize_reply, reserved));

SIZE(pegasus_stream_wait_event_request, 24);
OFFSET(pegasus_stream_wait_event_request, stream, 0);
OFFSET(pegasus_stream_wait_event_request, event, 8);
OFFSET(pegasus_stream_wait_event_request, flags, 16);
OFFSET(pegasus_stream_wait_event_request, reserved, 20);
NO_PADDING(pegasus_stream_wait_event_request,
           BYTES(pegasus_stream_wait_event_request, stream) +
           BYTES(pegasus_stream_wait_event_request, event) +
           BYTES(pegasus_stream_wait_event_request, flags) +
           BYTES(pegasus_stream_wait_event_request, reserved));

SIZE(pegasus_event_create_request, 8);
OFFSET(pegasus_event_create_request, flags, 0);
OFFSET(pegasus_event_create_request, reserved, 4);
NO_PADDING(pegasus_event_create_request,
           BYTES(pegasus_event_create_request, flags) +
           BYTES(pegasus_event_create_request, reserved));

SIZE(pegasus_event_create_reply, 8);
OFFSET(pegasus_event_create_reply, event, 0);
NO_PADDING(pegasus_event_create_reply,
           BYTES(pegasus_event_create_reply, event));

SIZE(pegasus_event_destroy_request, 8);
OFFSET(pegasus_event_destroy_request, event, 0);
NO_PADDING(pegasus_event_destroy_request,
           BYTES(pegasus_event_destroy_request, event));

SIZE(pegasus_event_record_request, 16);
OFFSET(pegasus_event_record_request, event, 0);
OFFSET(pegasus_event_record_request, stream, 8);
NO_PADDING(pegasus_event_record_request,
           BYTES(pegasus_event_record_request, event) +
           BYTES(pegasus_event_record_request, stream));

SIZE(pegasus_event_query_request, 8);
OFFSET(pegasus_event_query_request, event, 0);
NO_PADDING(pegasus_event_query_request,
           BYTES(pegasus_event_query_request, event));

SIZE(pegasus_event_query_reply, 8);
OFFSET(pegasus_event_query_reply, reserved, 0);
NO_PADDING(pegasus_event_query_reply,
           BYTES(pegasus_event_query_reply, reserved));

SIZE(pegasus_event_synchronize_request, 8);
OFFSET(pegasus_event_synchronize_request, event, 0);
NO_PADDING(pegasus_event_synchronize_request,
           BYTES(pegasus_event_synchronize_request, event));

SIZE(pegasus_event_synchronize_reply, 8);
OFFSET(pegasus_event_synchronize_reply, reserved, 0);
NO_PADDING(pegasus_event_synchronize_reply,
           BYTES(pegasus_event_synchronize_reply, reserved));

SIZE(pegasus_event_elapsed_request, 16);
OFFSET(pegasus_event_elapsed_request, start, 0);
OFFSET(pegasus_event_elapsed_request, end, 8);
NO_PADDING(pegasus_event_elapsed_request,
           BYTES(pegasus_event_elapsed_request, start) +
           BYTES(pegasus_event_elapsed_request, end));

SIZE(pegasus_event_elapsed_reply, 8);
OFFSET(pegasus_event_elapsed_reply, milliseconds, 0);
OFFSET(pegasus_event_elapsed_reply, reserved, 4);
NO_PADDING(pegasus_event_elapsed_reply,
           BYTES(pegasus_event_elapsed_reply, milliseconds) +
           BYTES(pegasus_event_elapsed_reply, reserved));

SIZE(pegasus_context_synchronize_request, 8);
OFFSET(pegasus_context_synchronize_request, reserved, 0);
NO_PADDING(pegasus_context_synchronize_request,
           BYTES(pegasus_context_synchronize_request, reserved));

SIZE(pegasus_context_synchronize_reply, 8);
OFFSET(pegasus_context_synchronize_reply, reserved, 0);
NO_PADDING(pegasus_context_synchronize_reply,
           BYTES(pegasus_context_synchronize_reply, reserved));

SIZE(pegasus_context_reset_request, 8);
OFFSET(pegasus_context_reset_request, reserved, 0);
NO_PADDING(pegasus_context_reset_request,
           BYTES(pegasus_context_reset_request, reserved));

SIZE(pegasus_context_reset_reply, 8);
OFFSET(pegasus_context_reset_reply, reserved, 0);
NO_PADDING(pegasus_context_reset_reply,
           BYTES(pegasus_context_reset_reply, reserved));

SIZE(pegasus_context_set_limit_request, 16);
OFFSET(pegasus_context_set_limit_request, limit, 0);
OFFSET(pegasus_context_set_limit_request, reserved, 4);
OFFSET(pegasus_context_set_limit_request, value, 8);
NO_PADDING(pegasus_context_set_limit_request,
           BYTES(pegasus_context_set_limit_request, limit) +
           BYTES(pegasus_context_set_limit_request, reserved) +
           BYTES(pegasus_context_set_limit_request, value));

SIZE(pegasus_context_set_limit_reply, 8);
OFFSET(pegasus_context_set_limit_reply, value, 0);
NO_PADDING(pegasus_context_set_limit_reply,
           BYTES(pegasus_context_set_limit_reply, value));

SIZE(pegasus_graph_create_request, 8);
OFFSET(pegasus_graph_create_request, reserved, 0);
NO_PADDING(pegasus_graph_create_request,
           BYTES(pegasus_graph_create_request, reserved));

SIZE(pegasus_graph_create_reply, 8);
OFFSET(pegasus_graph_create_reply, graph, 0);
NO_PADDING(pegasus_graph_create_reply,
           BYTES(pegasus_graph_create_reply, graph));

SIZE(pegasus_graph_add_request, 16);
OFFSET(pegasus_graph_add_request, graph, 0);
OFFSET(pegasus_graph_add_request, call, 8);
OFFSET(pegasus_graph_add_request, reserved, 12);
NO_PADDING(pegasus_graph_add_request,
           BYTES(pegasus_graph_add_request, graph) +
           BYTES(pegasus_graph_add_request, call) +
           BYTES(pegasus_graph_add_request, reserved));

SIZE(pegasus_graph_ready_request, 8);
OFFSET(pegasus_graph_ready_request, graph, 0);
NO_PADDING(pegasus_graph_ready_request,
           BYTES(pegasus_graph_ready_request, graph));

SIZE(pegasus_graph_ready_reply, 8);
OFFSET(pegasus_graph_ready_reply, reserved, 0);
NO_PADDING(pegasus_graph_ready_reply,
           BYTES(pegasus_graph_ready_reply, reserved));

SIZE(pegasus_graph_launch_request, 16);
OFFSET(pegasus_graph_launch_request, graph, 0);
OFFSET(pegasus_graph_launch_request, stream, 8);
NO_PADDING(pegasus_graph_launch_request,
           BYTES(pegasus_graph_launch_request, graph) +
           BYTES(pegasus_graph_launch_request, stream));

SIZE(pegasus_graph_destroy_request, 8);
OFFSET(pegasus_graph_destroy_request, graph, 0);
NO_PADDING(pegasus_graph_destroy_request,
           BYTES(pegasus_graph_destroy_request, graph));

SIZE(pegasus_connect_request, 160);
OFFSET(pegasus_connect_request, magic, 0);
OFFSET(pegasus_connect_request, version, 4);
OFFSET(pegasus_connect_request, task, 8);
OFFSET(pegasus_connect_request, slots, 12);
OFFSET(pegasus_connect_request, arena_bytes, 16);
OFFSET(pegasus_connect_request, kind, 20);
OFFSET(pegasus_connect_request, domain, 24);
OFFSET(pegasus_connect_request, program, 88);
OFFSET(pegasus_connect_request, oldest, 152);
OFFSET(pegasus_connect_request, features, 156);
NO_PADDING(pegasus_connect_request,
           BYTES(pegasus_connect_request, magic) +
           BYTES(pegasus_connect_request, version) +
           BYTES(pegasus_connect_request, task) +
           BYTES(pegasus_connect_request, slots) +
           BYTES(pegasus_connect_request, arena_bytes) +
           BYTES(pegasus_connect_request, kind) +
           BYTES(pegasus_connect_request, domain) +
           BYTES(pegasus_connect_request, program) +
           BYTES(pegasus_connect_request, oldest) +
           BYTES(pegasus_connect_request, features));

SIZE(pegasus_device_profile, 928);
OFFSET(pegasus_device_profile, name, 0);
OFFSET(pegasus_device_profile, uuid, 256);
OFFSET(pegasus_device_profile, memory_bytes, 272);
OFFSET(pegasus_device_profile, driver_version, 280);
OFFSET(pegasus_device_profile, attribute_count, 284);
OFFSET(pegasus_device_profile, attribute, 288);
NO_PADDING(pegasus_device_profile,
           BYTES(pegasus_device_profile, name) +
           BYTES(pegasus_device_profile, uuid) +
           BYTES(pegasus_device_profile, memory_bytes) +
           BYTES(pegasus_device_profile, driver_version) +
           BYTES(pegasus_device_profile, attribute_count) +
           BYTES(pegasus_device_profile, attribute));

SIZE(pegasus_connect_reply, 1224);
OFFSET(pegasus_connect_reply, magic, 0);
OFFSET(pegasus_connect_reply, version, 4);
OFFSET(pegasus_connect_reply, error, 8);
OFFSET(pegasus_connect_reply, channel_bytes, 12);
OFFSET(pegasus_connect_reply, slots, 16);
OFFSET(pegasus_connect_reply, arena_bytes, 20);
OFFSET(pegasus_connect_reply, task, 24);
OFFSET(pegasus_connect_reply, features, 28);
OFFSET(pegasus_connect_reply, message, 32);
OFFSET(pegasus_connect_reply, device, 288);
OFFSET(pegasus_connect_reply, host_window_bytes, 1216);
NO_PADDING(pegasus_connect_reply,
           BYTES(pegasus_connect_reply, magic) +
           BYTES(pegasus_connect_reply, version) +
           BYTES(pegasus_connect_reply, error) +
           BYTES(pegasus_connect_reply, channel_bytes) +
           BYTES(pegasus_connect_reply, slots) +
           BYTES(pegasus_connect_reply, arena_bytes) +
           BYTES(pegasus_connect_reply, task) +
           BYTES(pegasus_connect_reply, features) +
           BYTES(pegasus_connect_reply, message) +
           BYTES(pegasus_connect_reply, device) +
           BYTES(pegasus_connect_reply, host_window_bytes));

SIZE(pegasus_task_total, 32);
OFFSET(pegasus_task_total, task, 0);
OFFSET(pegasus_task_total, process, 4);
OFFSET(pegasus_task_total, device_ns, 8);
OFFSET(pegasus_task_total, calling, 16);
OFFSET(pegasus_task_total, reserved, 20);
NO_PADDING(pegasus_task_total,
           BYTES(pegasus_task_total, task) +
           BYTES(pegasus_task_total, process) +
           BYTES(pegasus_task_total, device_ns) +
           BYTES(pegasus_task_total, calling) +
           BYTES(pegasus_task_total, reserved));

SIZE(pegasus_totals, 8192);
OFFSET(pegasus_totals, magic, 0);
OFFSET(pegasus_totals, version, 4);
OFFSET(pegasus_totals, sequence, 8);
OFFSET(pegasus_totals, tasks, 12);
OFFSET(pegasus_totals, unlisted, 16);
OFFSET(pegasus_totals, reserved, 20);
OFFSET(pegasus_totals, updates, 24);
OFFSET(pegasus_totals, padding, 32);
OFFSET(pegasus_totals, task, 64);
NO_PADDING(pegasus_totals,
           BYTES(pegasus_totals, magic) +
           BYTES(pegasus_totals, version) +
           BYTES(pegasus_totals, sequence) +
           BYTES(pegasus_totals, tasks) +
           BYTES(pegasus_totals, unlisted) +
           BYTES(pegasus_totals, reserved) +
           BYTES(pegasus_totals, updates) +
           BYTES(pegasus_totals, padding) +
           BYTES(pegasus_totals, task));

SIZE(pegasus_xen_connect_request, 152);
OFFSET(pegasus_xen_connect_request, magic, 0);
OFFSET(pegasus_xen_connect_request, version, 4);
OFFSET(pegasus_xen_connect_request, task, 8);
OFFSET(pegasus_xen_connect_request, slots, 12);
OFFSET(pegasus_xen_connect_request, arena_bytes, 16);
OFFSET(pegasus_xen_connect_request, kind, 20);
OFFSET(pegasus_xen_connect_request, oldest, 24);
OFFSET(pegasus_xen_connect_request, features, 28);
OFFSET(pegasus_xen_connect_request, reserved, 32);
OFFSET(pegasus_xen_connect_request, program, 88);
NO_PADDING(pegasus_xen_connect_request,
           BYTES(pegasus_xen_connect_request, magic) +
           BYTES(pegasus_xen_connect_request, version) +
           BYTES(pegasus_xen_connect_request, task) +
           BYTES(pegasus_xen_connect_request, slots) +
           BYTES(pegasus_xen_connect_request, arena_bytes) +
           BYTES(pegasus_xen_connect_request, kind) +
           BYTES(pegasus_xen_connect_request, oldest) +
           BYTES(pegasus_xen_connect_request, features) +
           BYTES(pegasus_xen_connect_request, reserved) +
           BYTES(pegasus_xen_connect_request, program));

SIZE(pegasus_xen_directory, 4096);
OFFSET(pegasus_xen_directory, connect_request, 0);
OFFSET(pegasus_xen_directory, pages, 152);
OFFSET(pegasus_xen_directory, next, 156);
OFFSET(pegasus_xen_directory, refs, 160);
NO_PADDING(pegasus_xen_directory,
           BYTES(pegasus_xen_directory, connect_request) +
           BYTES(pegasus_xen_directory, pages) +
           BYTES(pegasus_xen_directory, next) +
           BYTES(pegasus_xen_directory, refs));
