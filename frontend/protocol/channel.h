/* SPDX-License-Identifier: MIT */
/*
 * The call buffer shared by one guest task and its aVCPU. PROTOCOL.md tells the whole story; in short:
 *
 *   offset 0                  struct pegasus_channel_header, one page
 *   header.request_offset     struct pegasus_request[slots]
 *   header.reply_offset       struct pegasus_reply[slots]
 *   header.arena_offset       arena_bytes of bulk data
 *
 * 1. The guest writes request slot (s & (slots-1)), payload first, `sequence = s` last (release), s = 1, 2, 3, ...
 * 2. The worker sees sequence s in the slot it expects, copies the slot once, validates the copy, executes it.
 *    A slot holds either the previous lap's sequence (empty) or the expected one; anything else closes the channel.
 * 3. For a call that has a reply the worker writes reply slot (s & (slots-1)), `sequence = s` last. Then, for
 *    every call, it stores `completed = s`: slots and arena ranges up to s belong to the guest again.
 * 4. A side that has nothing to do spins for a while, makes its `parked` word odd, fences, checks once more and sleeps
 *    while the word has that value (futex or event channel). The other side, after publishing, fences and, only if the
 *    word is odd, adds 1 and rings. The word is a counter: a second sleeper of the same side never hides the first
 *    one's wake-up.
 *
 * Write access: the creator writes the constants before the first call; the guest writes the lines marked [guest],
 * the worker those marked [worker]. Neither side trusts a word that the other can write: it copies the word once and
 * checks the copy.
 */
#ifndef PEGASUS_PROTOCOL_CHANNEL_H
#define PEGASUS_PROTOCOL_CHANNEL_H

#include <stdint.h>

#define PEGASUS_CHANNEL_MAGIC 0x53414750u /* "PGAS" */
/* The newest version that this release speaks, and the oldest. PROTOCOL.md, "Versions", says when the newest is raised.
 * An unknown call number is answered with CUDA_ERROR_NOT_SUPPORTED in every version. */
#define PEGASUS_PROTOCOL_VERSION 2u
#define PEGASUS_PROTOCOL_OLDEST 1u

#define PEGASUS_CACHE_LINE 64u
#define PEGASUS_SLOTS_MIN 16u
#define PEGASUS_SLOTS_MAX 4096u
#define PEGASUS_SLOTS_DEFAULT 256u
#define PEGASUS_ARENA_MIN (64u * 1024u)
#define PEGASUS_ARENA_MAX (64u * 1024u * 1024u)
#define PEGASUS_ARENA_DEFAULT (2u * 1024u * 1024u)
#define PEGASUS_REQUEST_BODY 112u
#define PEGASUS_REPLY_BODY 48u
#define PEGASUS_LATENCY_BUCKETS 128u

/* Latency of synchronous calls as measured by the guest; a hint for the operator, never used for accounting.
 * Bucket b counts calls of [2^(b/4) * (1 + (b%4)/4)) ns; the last bucket also counts all longer ones. */
struct pegasus_guest_statistics {
  uint32_t sync_calls;                               /* wraps */
  uint32_t posted_calls;                             /* wraps */
  uint32_t latency_bucket[PEGASUS_LATENCY_BUCKETS];  /* each wraps */
};

enum pegasus_worker_state {
  PEGASUS_WORKER_STARTING = 0, /* the ring is not polled yet */
  PEGASUS_WORKER_RUNNING = 1,  /* the gate is open: a short spin for the reply pays */
  PEGASUS_WORKER_PAUSED = 2,   /* the gate is closed: sleep at once */
  PEGASUS_WORKER_CLOSED = 3,   /* the channel is closed: no further call is answered */
  PEGASUS_WORKER_POLL = 4      /* open or closed: poll for the reply, do not sleep (policies credit-poll, strict-co) */
};

struct pegasus_channel_header {
  /* line 0: constants, written by the creator before either side maps the pages for calls */
  uint32_t magic;
  uint32_t version; /* the chosen one (handshake.h) */
  uint32_t slots; /* a power of two */
  uint32_t arena_bytes;
  uint32_t request_offset; /* offsets in bytes from the start of the header, page-aligned */
  uint32_t reply_offset;
  uint32_t arena_offset;
  uint32_t total_bytes;
  uint8_t guest_alive; /* Xen transport (xen.h): 1 until the guest's kernel clears it when the process ends */
  uint8_t host_alive;  /* Xen transport: 1 until Dom0's kernel clears it when pegasusd ends */
  uint8_t reserved0[30];
  /* line 1 [guest makes it odd, worker even]: odd while a thread of the guest sleeps until the worker rings */
  uint32_t guest_parked;
  uint8_t reserved1[60];
  /* line 2 [worker makes it odd, guest even]: odd while the worker sleeps until the guest rings */
  uint32_t worker_parked;
  uint8_t reserved2[60];
  /* line 3 [worker] */
  uint32_t completed;    /* sequence of the last finished request */
  uint32_t worker_state; /* enum pegasus_worker_state */
  uint32_t close_reason; /* enum pegasus_close_reason (handshake.h), valid once worker_state is CLOSED */
  uint32_t poll_ns; /* how long polling for a reply may pay; 0: as long as a wake-up takes (hybrid_spin.h) */
  uint8_t reserved3[48];
  /* line 4 and on [guest] */
  struct pegasus_guest_statistics statistics;
};

struct pegasus_request {
  uint32_t sequence;  /* published last, with release */
  uint16_t call;      /* enum pegasus_call */
  uint16_t guest_cpu; /* vCPU that the request was written on: a hint which one to wake */
  uint32_t data_offset; /* bulk data in the arena; 0,0 when there is none */
  uint32_t data_bytes;
  uint8_t body[PEGASUS_REQUEST_BODY]; /* the call's request struct, then call-specific inline bytes, then zeros;
                                       * version 1 has anything in place of the zeros */
};

enum pegasus_reply_flags {
  PEGASUS_REPLY_OUTPUT_PENDING = 1u /* device printf output or a diagnostic waits: fetch it with OUTPUT_READ */
};

struct pegasus_reply {
  uint32_t sequence; /* published last, with release */
  int32_t status;    /* a CUresult value: of this call, or of an earlier posted call that failed */
  uint32_t flags;    /* enum pegasus_reply_flags */
  uint32_t reserved;
  uint8_t body[PEGASUS_REPLY_BODY]; /* the call's reply struct */
};

#endif
