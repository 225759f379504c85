/* SPDX-License-Identifier: MIT */
/*
 * Every call a guest can make, with its request and reply. Both sides generate their dispatch from PEGASUS_CALLS.
 *
 * Kind:    SYNC    the guest waits for the reply.
 *          POSTED  no reply: the calls that CUDA defines as asynchronous.
 * Status:  OWN     the reply carries the status of this call.
 *          ALL     as OWN; but if this call succeeds, the first failure of a posted call that was not reported yet.
 *          LATER   no reply; a failure is reported by the next call of status ALL.
 * Handles: the request's fields that are handles, each with the kind that it must have. If one has another kind or
 *          is invalid, the status is CUDA_ERROR_INVALID_HANDLE and the rest of the call is not read.
 *
 * Number s * 256 and up to 255 more are service s. Service 0 is this list: CUDA, from 1 on.
 *
 * Numbers follow the CUDA driver API: status is a CUresult; pointers are device addresses; handles are 64-bit values
 * that only the worker that issued them can interpret (0 is never a handle, except stream 0: the default stream).
 * Bulk data travels in the arena. Below, each call documents what data_offset/data_bytes carry and in which direction.
 */
#ifndef PEGASUS_PROTOCOL_CALLS_H
#define PEGASUS_PROTOCOL_CALLS_H

#include <stdint.h>

/*     number, NAME, stem of the structs, kind, status, handles */
#define PEGASUS_CALLS(CALL)                                                                                         \
  CALL(1,   PING,                   ping,                   SYNC,   OWN,   NO_HANDLE)                               \
  CALL(2,   OUTPUT_READ,            output_read,            SYNC,   OWN,   NO_HANDLE)                               \
  CALL(3,   MODULE_BEGIN,           module_begin,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(4,   MODULE_DATA,            module_data,            POSTED, LATER, NO_HANDLE)                               \
  CALL(5,   MODULE_LOAD,            module_load,            SYNC,   OWN,   NO_HANDLE)                               \
  CALL(6,   MODULE_UNLOAD,          module_unload,          SYNC,   OWN,   HANDLE(MODULE, module))                  \
  CALL(7,   MODULE_FUNCTION,        module_function,        SYNC,   OWN,   HANDLE(MODULE, module))                  \
  CALL(8,   MODULE_GLOBAL,          module_global,          SYNC,   OWN,   HANDLE(MODULE, module))                  \
  CALL(9,   FUNCTION_SET_ATTRIBUTE, function_set_attribute, SYNC,   OWN,   HANDLE(FUNCTION, function))              \
  CALL(10,  MEMORY_ALLOCATE,        memory_allocate,        SYNC,   OWN,   NO_HANDLE)                               \
  CALL(11,  MEMORY_FREE,            memory_free,            SYNC,   OWN,   NO_HANDLE)                               \
  CALL(12,  MEMORY_INFO,            memory_info,            SYNC,   OWN,   NO_HANDLE)                               \
  CALL(13,  MEMORY_RANGE,           memory_range,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(14,  COPY_TO_DEVICE,         copy_to_device,         POSTED, LATER, HANDLE(STREAM, stream))                  \
  CALL(15,  COPY_FROM_DEVICE,       copy_from_device,       SYNC,   ALL,   HANDLE(STREAM, stream))                  \
  CALL(16,  COPY_DEVICE,            copy_device,            POSTED, LATER, HANDLE(STREAM, stream))                  \
  CALL(17,  FILL,                   fill,                   POSTED, LATER, HANDLE(STREAM, stream))                  \
  CALL(18,  LAUNCH,                 launch,                 POSTED, LATER,                                          \
       HANDLE(FUNCTION, function) HANDLE(STREAM, stream))                                                           \
  CALL(19,  STREAM_CREATE,          stream_create,          SYNC,   OWN,   NO_HANDLE)                               \
  CALL(20,  STREAM_DESTROY,         stream_destroy,         POSTED, LATER, HANDLE(STREAM, stream))                  \
  CALL(21,  STREAM_QUERY,           stream_query,           SYNC,   ALL,   HANDLE(STREAM, stream))                  \
  CALL(22,  STREAM_SYNCHRONIZE,     stream_synchronize,     SYNC,   ALL,   HANDLE(STREAM, stream))                  \
  CALL(23,  STREAM_WAIT_EVENT,      stream_wait_event,      POSTED, LATER,                                          \
       HANDLE(STREAM, stream) HANDLE(EVENT, event))                                                                 \
  CALL(24,  EVENT_CREATE,           event_create,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(25,  EVENT_DESTROY,          event_destroy,          POSTED, LATER, HANDLE(EVENT, event))                    \
  CALL(26,  EVENT_RECORD,           event_record,           POSTED, LATER,                                          \
       HANDLE(EVENT, event) HANDLE(STREAM, stream))                                                                 \
  CALL(27,  EVENT_QUERY,            event_query,            SYNC,   ALL,   HANDLE(EVENT, event))                    \
  CALL(28,  EVENT_SYNCHRONIZE,      event_synchronize,      SYNC,   ALL,   HANDLE(EVENT, event))                    \
  CALL(29,  EVENT_ELAPSED,          event_elapsed,          SYNC,   OWN,   HANDLE(EVENT, start) HANDLE(EVENT, end)) \
  CALL(30,  CONTEXT_SYNCHRONIZE,    context_synchronize,    SYNC,   ALL,   NO_HANDLE)                               \
  CALL(31,  CONTEXT_RESET,          context_reset,          SYNC,   OWN,   NO_HANDLE)                               \
  CALL(32,  CONTEXT_SET_LIMIT,      context_set_limit,      SYNC,   OWN,   NO_HANDLE)                               \
  CALL(33,  GRAPH_CREATE,           graph_create,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(34,  GRAPH_ADD,              graph_add,              POSTED, LATER, HANDLE(GRAPH, graph))                    \
  CALL(35,  GRAPH_READY,            graph_ready,            SYNC,   OWN,   HANDLE(GRAPH, graph))                    \
  CALL(36,  GRAPH_LAUNCH,           graph_launch,           POSTED, LATER,                                          \
       HANDLE(GRAPH, graph) HANDLE(STREAM, stream))                                                                 \
  CALL(37,  GRAPH_DESTROY,          graph_destroy,          POSTED, LATER, HANDLE(GRAPH, graph))                    \
  CALL(38,  LAUNCH_WITH_ATTRIBUTES, launch_with_attributes, POSTED, LATER,                                          \
       HANDLE(FUNCTION, launch.function) HANDLE(STREAM, launch.stream))                                             \
  CALL(39,  CLUSTER_OCCUPANCY,      cluster_occupancy,      SYNC,   OWN,   HANDLE(FUNCTION, launch.function))       \
  CALL(40,  TENSOR_MAP_ENCODE,      tensor_map_encode,      SYNC,   OWN,   NO_HANDLE)                               \
  CALL(41,  ADDRESSES_RESERVE,      addresses_reserve,      SYNC,   OWN,   NO_HANDLE)                               \
  CALL(42,  ADDRESSES_FREE,         addresses_free,         SYNC,   OWN,   NO_HANDLE)                               \
  CALL(43,  PHYSICAL_CREATE,        physical_create,        SYNC,   OWN,   NO_HANDLE)                               \
  CALL(44,  PHYSICAL_RELEASE,       physical_release,       SYNC,   OWN,   HANDLE(PHYSICAL, memory))                \
  CALL(45,  MEMORY_MAP,             memory_map,             SYNC,   OWN,   HANDLE(PHYSICAL, memory))                \
  CALL(46,  MEMORY_UNMAP,           memory_unmap,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(47,  MEMORY_SET_ACCESS,      memory_set_access,      SYNC,   OWN,   NO_HANDLE)                               \
  CALL(48,  ARRAY_CREATE,           array_create,           SYNC,   OWN,   NO_HANDLE)                               \
  CALL(49,  ARRAY_DESTROY,          array_destroy,          SYNC,   OWN,   NO_HANDLE)                               \
  CALL(50,  TEXTURE_CREATE,         texture_create,         SYNC,   OWN,   NO_HANDLE)                               \
  CALL(51,  TEXTURE_DESTROY,        texture_destroy,        SYNC,   OWN,   NO_HANDLE)                               \
  CALL(52,  SURFACE_CREATE,         surface_create,         SYNC,   OWN,   NO_HANDLE)                               \
  CALL(53,  SURFACE_DESTROY,        surface_destroy,        SYNC,   OWN,   NO_HANDLE)

enum pegasus_call {
#define PEGASUS_CALL_NUMBER(number, NAME, ...) PEGASUS_CALL_##NAME = number,
  PEGASUS_CALLS(PEGASUS_CALL_NUMBER)
#undef PEGASUS_CALL_NUMBER
};

/* Limits that both sides know. A call that exceeds one is refused before anything is allocated. */
#define PEGASUS_MODULE_BYTES_MAX (256u * 1024u * 1024u)
#define PEGASUS_SYMBOL_BYTES_MAX 4096u
#define PEGASUS_PARAMETER_BYTES_MAX 32764u
#define PEGASUS_PARAMETERS_MAX 4096u
#define PEGASUS_MAPPING_GRANULE (2u * 1024u * 1024u) /* what memory is created and mapped in multiples of */
#define PEGASUS_GRAPH_NODES_MAX 65536u                 /* of one graph */
#define PEGASUS_GRAPH_BYTES_MAX (64u * 1024u * 1024u) /* of all graphs of a task, as stored by the worker */

/* PING: does nothing; the null call. */
struct pegasus_ping_request { uint64_t value; };
struct pegasus_ping_reply { uint64_t value; };

/* OUTPUT_READ: copies up to data_bytes of pending text to the arena [data: worker -> guest]. kind 1: device printf, for
 * stdout; kind 2: a diagnostic (which kernel failed, and how), for stderr. bytes 0: no text is left. */
struct pegasus_output_read_request { uint64_t reserved; };
struct pegasus_output_read_reply { uint32_t kind; uint32_t bytes; };

/* MODULE_BEGIN announces an image of image_bytes; MODULE_DATA appends data_bytes at offset [data: guest -> worker];
 * MODULE_LOAD loads the collected image. image_kind 1: a fatbin, a cubin or PTX text, told apart by its first bytes;
 * 2: a linked set: struct pegasus_image_set followed by the parts. A failed load leaves a diagnostic (OUTPUT_READ). */
struct pegasus_module_begin_request { uint64_t image_bytes; uint32_t image_kind; uint32_t reserved; };
struct pegasus_module_begin_reply { uint64_t reserved; };
struct pegasus_module_data_request { uint64_t offset; };
struct pegasus_module_load_request { uint64_t reserved; };
struct pegasus_module_load_reply { uint64_t module; };
struct pegasus_module_unload_request { uint64_t module; };
struct pegasus_module_unload_reply { uint64_t reserved; };

#define PEGASUS_IMAGE_SET_MAGIC 0x54455350u /* "PSET" */
#define PEGASUS_IMAGE_SET_PARTS_MAX 65536u
struct pegasus_image_set { /* followed by uint64_t bytes[parts], then the parts, each padded to 8 bytes */
  uint32_t magic;
  uint32_t parts;
};

/* MODULE_FUNCTION: name in the arena, name_bytes without NUL [data: guest -> worker]. On success the worker also
 * writes the parameter layout, struct pegasus_parameter[parameter_count], to the same arena range if data_bytes
 * has room for it. Otherwise the reply has status CUDA_SUCCESS and parameters_written 0: ask with more room. */
struct pegasus_module_function_request { uint64_t module; uint32_t name_bytes; uint32_t reserved; };
struct pegasus_parameter { uint32_t offset; uint32_t bytes; };
struct pegasus_module_function_reply {
  uint64_t function;
  uint32_t parameter_bytes; /* size of the parameter buffer */
  uint16_t parameter_count;
  uint16_t parameters_written;
  uint32_t max_threads_per_block;
  uint32_t static_shared_bytes;
  uint32_t const_bytes;
  uint32_t local_bytes;
  uint32_t registers;
  uint32_t max_dynamic_shared_bytes;
  uint16_t ptx_version;    /* major * 10 + minor of the target */
  uint16_t binary_version;
  uint8_t required_cluster[3];  /* the size of its thread block clusters, in blocks; 0: not fixed */
  uint8_t cluster_must_be_set;  /* 1: each launch must say it */
};

/* MODULE_GLOBAL: name in the arena [data: guest -> worker]. */
struct pegasus_module_global_request { uint64_t module; uint32_t name_bytes; uint32_t reserved; };
struct pegasus_module_global_reply { uint64_t address; uint64_t bytes; };

/* FUNCTION_SET_ATTRIBUTE: attribute and value as for cuFuncSetAttribute. */
struct pegasus_function_set_attribute_request { uint64_t function; int32_t attribute; int32_t value; };
struct pegasus_function_set_attribute_reply { uint64_t reserved; };

/* Of the two below, addresses in the host window. */
enum pegasus_memory_place {
  PEGASUS_MEMORY_DEVICE = 0,
  PEGASUS_MEMORY_MAPPED = 1, /* host memory that kernels can use */
  PEGASUS_MEMORY_MANAGED = 2 /* the same, counted as device memory */
};
struct pegasus_memory_allocate_request { uint64_t bytes; uint32_t place; /* enum pegasus_memory_place */ uint32_t reserved; };
struct pegasus_memory_allocate_reply { uint64_t address; };
struct pegasus_memory_free_request { uint64_t address; };
struct pegasus_memory_free_reply { uint64_t reserved; };
struct pegasus_memory_info_request { uint64_t reserved; };
struct pegasus_memory_info_reply { uint64_t free_bytes; uint64_t total_bytes; }; /* what this domain may use */
/* MEMORY_RANGE: the allocation that contains address. */
struct pegasus_memory_range_request { uint64_t address; };
struct pegasus_memory_range_reply { uint64_t base; uint64_t bytes; };

/* Addresses and memory apart, as cuMemAddressReserve, cuMemAddressFree, cuMemCreate, cuMemRelease, cuMemMap, cuMemUnmap
 * and cuMemSetAccess define it, if attribute 102 is 1. Only the device itself has access: access is that of
 * CUmemAccess_flags, 0 or 3. Memory is mapped at one place at a time, from its first byte on. PHYSICAL_RELEASE ends the
 * handle; what is mapped stays until it is unmapped. */
struct pegasus_addresses_reserve_request { uint64_t bytes; uint64_t alignment; uint64_t hint; };
struct pegasus_addresses_reserve_reply { uint64_t address; };
struct pegasus_addresses_free_request { uint64_t address; uint64_t bytes; };
struct pegasus_addresses_free_reply { uint64_t reserved; };
struct pegasus_physical_create_request { uint64_t bytes; };
struct pegasus_physical_create_reply { uint64_t memory; };
struct pegasus_physical_release_request { uint64_t memory; };
struct pegasus_physical_release_reply { uint64_t reserved; };
struct pegasus_memory_map_request { uint64_t memory; uint64_t address; uint64_t bytes; };
struct pegasus_memory_map_reply { uint64_t reserved; };
struct pegasus_memory_unmap_request { uint64_t address; uint64_t bytes; };
struct pegasus_memory_unmap_reply { uint64_t reserved; };
struct pegasus_memory_set_access_request { uint64_t address; uint64_t bytes; uint32_t access; uint32_t reserved; };
struct pegasus_memory_set_access_reply { uint64_t reserved; };

/* An array is a range of addresses in which copies work, and nothing else is promised to: texels row by row, slice by
 * slice, level by level, as array_layout.h says. ARRAY_CREATE returns where it begins. A texture or a surface that is made
 * of an array names it by the address of the array or of one of its levels; their handles are the device's own, which
 * kernels get as parameters. */
#define PEGASUS_ARRAY_EXTENT_MAX (1u << 18) /* texels in one direction, and layers */
#define PEGASUS_ARRAY_LEVELS_MAX 19u
enum pegasus_array_flags {
  PEGASUS_ARRAY_LAYERED = 1u,  /* depth is the number of layers */
  PEGASUS_ARRAY_SURFACE = 2u,  /* kernels may write it */
  PEGASUS_ARRAY_CUBEMAP = 4u,  /* depth is 6, or 6 for each layer */
  PEGASUS_ARRAY_GATHER = 8u    /* kernels may gather from it */
};
struct pegasus_array_shape { /* in texels; height 0: one dimension, depth 0: no more than two */
  uint32_t width;
  uint32_t height;
  uint32_t depth;
  uint32_t flags;
  uint32_t levels;
  uint8_t format;   /* as CUarray_format, up to CU_AD_FORMAT_FLOAT */
  uint8_t channels; /* 1, 2 or 4 */
  uint16_t reserved;
};
struct pegasus_array_create_request { struct pegasus_array_shape shape; };
struct pegasus_array_create_reply { uint64_t address; };
struct pegasus_array_destroy_request { uint64_t address; };
struct pegasus_array_destroy_reply { uint64_t reserved; };

enum pegasus_texture_source {
  PEGASUS_TEXTURE_LEVEL = 1,   /* one level of an array, at `address` */
  PEGASUS_TEXTURE_MIPMAP = 2,  /* all levels of the array at `address` */
  PEGASUS_TEXTURE_LINEAR = 3,  /* `bytes` bytes of memory, in one dimension */
  PEGASUS_TEXTURE_PITCHED = 4  /* memory: `height` rows of `width` texels, `pitch` bytes apart */
};
enum pegasus_sampling_flags {
  PEGASUS_SAMPLING_INTEGERS = 1u,   /* integers are read as such, not as fractions */
  PEGASUS_SAMPLING_NORMALIZED = 2u, /* coordinates are from 0 to 1 */
  PEGASUS_SAMPLING_SRGB = 4u,
  PEGASUS_SAMPLING_SEAMLESS = 8u    /* of a cubemap */
};
struct pegasus_texture_create_request {
  uint64_t address;
  uint64_t bytes;
  uint64_t pitch;
  uint32_t width;
  uint32_t height;
  uint8_t source;          /* enum pegasus_texture_source */
  uint8_t format;          /* of memory; as in an array's shape */
  uint8_t channels;
  uint8_t address_mode[3]; /* as CUaddress_mode */
  uint8_t filter;          /* as CUfilter_mode */
  uint8_t mipmap_filter;
  uint32_t flags; /* enum pegasus_sampling_flags */
  uint32_t max_anisotropy;
  float mipmap_bias;
  float mipmap_least;
  float mipmap_most;
  float border[4];
  uint32_t reserved;
};
struct pegasus_texture_create_reply { uint64_t texture; };
struct pegasus_texture_destroy_request { uint64_t texture; };
struct pegasus_texture_destroy_reply { uint64_t reserved; };
struct pegasus_surface_create_request { uint64_t address; };
struct pegasus_surface_create_reply { uint64_t surface; };
struct pegasus_surface_destroy_request { uint64_t surface; };
struct pegasus_surface_destroy_reply { uint64_t reserved; };

/* Copies: `rows` rows of row_bytes each, pitch bytes apart on the device; in the arena the rows are packed.
 * COPY_TO_DEVICE [data: guest -> worker], COPY_FROM_DEVICE [data: worker -> guest]: row_bytes * rows == data_bytes. */
struct pegasus_copy_to_device_request { uint64_t stream; uint64_t address; uint64_t pitch; uint64_t row_bytes; uint64_t rows; };
struct pegasus_copy_from_device_request { uint64_t stream; uint64_t address; uint64_t pitch; uint64_t row_bytes; uint64_t rows; };
struct pegasus_copy_from_device_reply { uint64_t reserved; };
struct pegasus_copy_device_request {
  uint64_t stream; uint64_t target; uint64_t target_pitch; uint64_t source; uint64_t source_pitch; uint64_t row_bytes; uint64_t rows;
};
/* FILL: element_bytes 1, 2 or 4; row_elements per row. */
struct pegasus_fill_request {
  uint64_t stream; uint64_t address; uint64_t pitch; uint64_t row_elements; uint64_t rows; uint32_t element_bytes; uint32_t value;
};

/* LAUNCH, LAUNCH_WITH_ATTRIBUTES: parameter_bytes of packed parameters follow the struct if they fit in the request's body (data_bytes 0);
 * otherwise they are in the arena [data: guest -> worker]. */
struct pegasus_launch_request {
  uint64_t function;
  uint64_t stream;
  uint32_t grid[3];
  uint16_t block[3];
  uint16_t parameter_bytes;
  uint32_t dynamic_shared_bytes;
  uint32_t flags; /* 1: cooperative */
  uint32_t reserved; /* makes explicit the padding that 64-bit machines add and i386 does not */
};

/* Attributes of a launch, for devices with thread block clusters. `set` says which ones are given; the others are 0. */
enum pegasus_launch_attribute {
  PEGASUS_LAUNCH_CLUSTER = 1u,            /* cluster: blocks of a cluster */
  PEGASUS_LAUNCH_PREFERRED_CLUSTER = 2u,  /* preferred_cluster */
  PEGASUS_LAUNCH_CLUSTER_SCHEDULING = 4u, /* cluster_scheduling, as CUclusterSchedulingPolicy */
  PEGASUS_LAUNCH_PRIORITY = 8u,           /* priority */
  PEGASUS_LAUNCH_PROGRAMMATIC = 16u,      /* programmatic stream serialization: may start before the launch before ends */
  PEGASUS_LAUNCH_MEMORY_DOMAIN = 32u,     /* memory_domain, as CUlaunchMemSyncDomain */
  PEGASUS_LAUNCH_MEMORY_DOMAIN_MAP = 64u, /* memory_domain_map: the default one, the remote one */
  PEGASUS_LAUNCH_CARVEOUT = 128u,         /* carveout: per cent of shared memory; -1: the driver's choice */
  PEGASUS_LAUNCH_ALL = 255u
};
struct pegasus_launch_attributes {
  uint32_t set;
  int32_t priority;
  uint16_t cluster[3];
  uint16_t preferred_cluster[3];
  uint8_t cluster_scheduling;
  uint8_t memory_domain;
  uint8_t memory_domain_map[2];
  int8_t carveout;
  uint8_t reserved[7];
};
struct pegasus_launch_with_attributes_request {
  struct pegasus_launch_request launch;
  struct pegasus_launch_attributes attributes;
};

/* CLUSTER_OCCUPANCY: about a launch that is not made; its stream and its parameters do not matter. question 1: how many
 * of its clusters can be on the device at a time; 2: the largest cluster with which it can be launched. */
struct pegasus_cluster_occupancy_request {
  struct pegasus_launch_request launch;
  struct pegasus_launch_attributes attributes;
  uint32_t question;
  uint32_t reserved;
};
struct pegasus_cluster_occupancy_reply { int32_t value; uint32_t reserved; };

/* TENSOR_MAP_ENCODE: struct pegasus_tensor_map in the arena [data: guest -> worker]; on success the worker writes the
 * descriptor, 128 bytes that only the driver and the device interpret, to the start of the same arena range. kind 1:
 * tiled; 2: im2col; 3: im2col, wide (lower[0], upper[0] and mode are used); 4: `descriptor` with another address. The
 * other fields are as for cuTensorMapEncode*. */
#define PEGASUS_TENSOR_MAP_BYTES 128u
#define PEGASUS_TENSOR_RANK_MAX 5u
struct pegasus_tensor_map {
  uint8_t descriptor[PEGASUS_TENSOR_MAP_BYTES];
  uint64_t address;
  uint64_t dimensions[PEGASUS_TENSOR_RANK_MAX];
  uint64_t strides[4];
  uint32_t box[PEGASUS_TENSOR_RANK_MAX];
  uint32_t element_strides[PEGASUS_TENSOR_RANK_MAX];
  int32_t lower[3];
  int32_t upper[3];
  uint32_t channels;
  uint32_t pixels;
  uint8_t kind;
  uint8_t rank;
  uint8_t data_type;
  uint8_t interleave;
  uint8_t swizzle;
  uint8_t promotion;
  uint8_t fill;
  uint8_t mode;
};
struct pegasus_tensor_map_encode_request { uint64_t reserved; };
struct pegasus_tensor_map_encode_reply { uint64_t reserved; };

/* Streams: flags and priority as for cuStreamCreateWithPriority. */
struct pegasus_stream_create_request { uint32_t flags; int32_t priority; };
struct pegasus_stream_create_reply { uint64_t stream; };
struct pegasus_stream_destroy_request { uint64_t stream; };
struct pegasus_stream_query_request { uint64_t stream; };
struct pegasus_stream_query_reply { uint64_t reserved; };
struct pegasus_stream_synchronize_request { uint64_t stream; };
struct pegasus_stream_synchronize_reply { uint64_t reserved; };
struct pegasus_stream_wait_event_request { uint64_t stream; uint64_t event; uint32_t flags; uint32_t reserved; };

struct pegasus_event_create_request { uint32_t flags; uint32_t reserved; };
struct pegasus_event_create_reply { uint64_t event; };
struct pegasus_event_destroy_request { uint64_t event; };
struct pegasus_event_record_request { uint64_t event; uint64_t stream; };
struct pegasus_event_query_request { uint64_t event; };
struct pegasus_event_query_reply { uint64_t reserved; };
struct pegasus_event_synchronize_request { uint64_t event; };
struct pegasus_event_synchronize_reply { uint64_t reserved; };
struct pegasus_event_elapsed_request { uint64_t start; uint64_t end; };
struct pegasus_event_elapsed_reply { float milliseconds; uint32_t reserved; };

struct pegasus_context_synchronize_request { uint64_t reserved; };
struct pegasus_context_synchronize_reply { uint64_t reserved; };
/* CONTEXT_RESET: frees everything the task has on the device and clears its sticky error. */
struct pegasus_context_reset_request { uint64_t reserved; };
struct pegasus_context_reset_reply { uint64_t reserved; };
/* CONTEXT_SET_LIMIT: limit as CUlimit (stack size, printf FIFO size, malloc heap size). The reply has the value set. */
struct pegasus_context_set_limit_request { uint32_t limit; uint32_t reserved; uint64_t value; };
struct pegasus_context_set_limit_reply { uint64_t value; };

/* Graphs: requests that the worker stores and executes again on each GRAPH_LAUNCH.
 * GRAPH_ADD: the request struct of a LAUNCH, LAUNCH_WITH_ATTRIBUTES, COPY_DEVICE or FILL (`call`) follows inline; a
 * launch's parameters follow it inline if they fit, otherwise they are in the arena [data: guest -> worker]. A request
 * that cannot be stored breaks the graph.
 * GRAPH_READY: the status is the first error of the requests added; a graph with an error cannot be launched.
 * GRAPH_LAUNCH executes the stored requests in order, as if each had been posted with this stream. The first request
 * that fails ends the launch, and its status is the status of the launch.
 * GRAPH_DESTROY: launches posted before it are not affected. */
struct pegasus_graph_create_request { uint64_t reserved; };
struct pegasus_graph_create_reply { uint64_t graph; };
struct pegasus_graph_add_request { uint64_t graph; uint32_t call; uint32_t reserved; };
struct pegasus_graph_ready_request { uint64_t graph; };
struct pegasus_graph_ready_reply { uint64_t reserved; };
struct pegasus_graph_launch_request { uint64_t graph; uint64_t stream; };
struct pegasus_graph_destroy_request { uint64_t graph; };

#endif
