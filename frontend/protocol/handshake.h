/* SPDX-License-Identifier: MIT */
/*
 * How a guest task gets a channel from pegasusd on the local transport. PROTOCOL.md has the step-by-step story.
 *
 *   guest                                        pegasusd (SOCK_SEQPACKET unix socket)
 *   pegasus_connect_request                          --->
 *                                          <---  pegasus_connect_reply + SCM_RIGHTS {channel memfd}   or connect_reply.error
 *                                                (with PEGASUS_FEATURE_HOST_WINDOW: {channel memfd, host window memfd})
 *   ... calls through the channel; the socket stays open ...
 *   the socket's hang-up ends the task; pegasusd's hang-up ends the channel.
 *
 * pegasusd chooses the newest version that both speak, and the features that both have. If there is no such version, or
 * the packet is none of these, it answers with a connect reply that names the error, and closes the connection.
 *
 * Both packets may grow at their end. A receiver takes what is missing as zeros and ignores what it does not know.
 */
#ifndef PEGASUS_PROTOCOL_HANDSHAKE_H
#define PEGASUS_PROTOCOL_HANDSHAKE_H

#include <stdint.h>

#define PEGASUS_CONNECT_REQUEST_MAGIC 0x4f4c4547u   /* "GELO" */
#define PEGASUS_CONNECT_REPLY_MAGIC 0x4d4f4357u /* "WCOM" */
#define PEGASUS_CONNECT_REQUEST_BYTES_1 152u /* of version 1: the least */
#define PEGASUS_CONNECT_REPLY_BYTES_1 1216u
#define PEGASUS_CONNECT_BYTES_MAX 4096u      /* the most of either packet */
#define PEGASUS_NAME_BYTES 64u            /* domain and program names, NUL-terminated, [A-Za-z0-9_.-] for domains */
#define PEGASUS_ERROR_BYTES 256u
#define PEGASUS_ATTRIBUTES 160u
/* Optional things: a guest names those that it understands, pegasusd those of them that it has, too. */
#define PEGASUS_FEATURE_HOST_WINDOW 1u /* memory that the program and its kernels share */
/* Where both have it: the addresses from here on are those of the host window. */
#define PEGASUS_HOST_WINDOW 0x200000000000ull
/* What a guest asks for, as connect_request.kind. */
enum pegasus_connect_kind {
  PEGASUS_CONNECT_TASK = 0,  /* a channel: the process becomes a task of its domain */
  PEGASUS_CONNECT_TOTALS = 1 /* the domain's totals page (totals.h) instead of a channel */
};

/* As connect_reply.error: the promise made to the guest's domain cannot be kept now, and the domain waits. A guest that
 * asks again with a new connect request, once a second, keeps its place; after a few seconds without one it loses it.
 * EINPROGRESS. */
#define PEGASUS_ASK_AGAIN 115u

enum pegasus_close_reason {
  PEGASUS_CLOSE_NONE = 0,
  PEGASUS_CLOSE_GUEST_LEFT = 1,
  PEGASUS_CLOSE_PROTOCOL = 2,  /* the ring was inconsistent */
  PEGASUS_CLOSE_WORKER = 3,    /* the worker died or was killed */
  PEGASUS_CLOSE_SHUTDOWN = 4,  /* pegasusd stops or the domain was removed */
  PEGASUS_CLOSE_DETACHED = 5   /* the toolstack or an operator took the domain's device away */
};

struct pegasus_connect_request {
  uint32_t magic;
  uint32_t version; /* the newest that the guest speaks */
  uint32_t task;    /* hint: the guest's process id */
  uint32_t slots;   /* wanted; 0 = default */
  uint32_t arena_bytes; /* wanted; 0 = default */
  uint32_t kind;        /* enum pegasus_connect_kind; slots and arena_bytes are those of a task */
  char domain[PEGASUS_NAME_BYTES];  /* local transport only; on Xen it is the domain that granted the pages */
  char program[PEGASUS_NAME_BYTES]; /* hint, for the operator */
  /* from version 2 on */
  uint32_t oldest;   /* the oldest version that the guest speaks; 0: `version` */
  uint32_t features; /* PEGASUS_FEATURE_ that the guest understands */
};

/* The name of the accelerator that executes PTX only, by which programs and frontend/jit know it. */
#define PEGASUS_SOFTWARE_ACCELERATOR "Pegasus software accelerator"

/* What the accelerator is; fixed for the life of the channel. */
struct pegasus_device_profile {
  char name[256];
  uint8_t uuid[16];
  uint64_t memory_bytes;  /* what this domain may use: the domain's limit, or the device's memory */
  uint32_t driver_version; /* as cuDriverGetVersion: 13000 */
  uint32_t attribute_count;
  int32_t attribute[PEGASUS_ATTRIBUTES]; /* by CUdevice_attribute number */
};

struct pegasus_connect_reply {
  uint32_t magic;
  uint32_t version; /* the chosen one; if there is none, pegasusd's newest and error EPROTONOSUPPORT */
  uint32_t error;   /* 0, or an errno value */
  uint32_t channel_bytes; /* of what comes with the reply */
  uint32_t slots;
  uint32_t arena_bytes;
  uint32_t task; /* pegasusd's number for this task, for messages */
  uint32_t features; /* those of the connect request that pegasusd has too; 0 in version 1 */
  char message[PEGASUS_ERROR_BYTES]; /* why the task was refused, and what to do */
  struct pegasus_device_profile device;
  uint64_t host_window_bytes; /* of the second file, whole pages; 0: there is none */
};

#endif
