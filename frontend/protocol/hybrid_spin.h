/* SPDX-License-Identifier: MIT */
/*
 * The hybrid spin that both ends of a channel use: poll for a while, then sleep and be woken (FairGV 3.2.2).
 * The polling time is learnt from the waits themselves, so the same code suits two idle cores and eight processes on
 * two cores:
 *   - a wait that ends while polling sets the budget to twice its length, and to HIT_MIN at least: the next one is
 *     likely to be similar, and a budget that just covers short waits would turn every interrupt into a sleep;
 *   - a wait that does not end while polling halves the budget: long kernels soon cost a sleep and no polling;
 *   - every PROBE-th wait polls for the full budget, to notice when waits become shorter;
 *   - a gap between two clock readings means that another process had this core: cores are oversubscribed, and
 *     polling takes time from the process that would answer. The next waits poll as little as possible.
 * A program that uses a GPU natively polls for as long as its kernels take. It may do the same here, up to a limit that the
 * worker sets (channel.h): where the device is itself a CPU, polling takes time from it.
 * Pure: the caller passes the time. Times in nanoseconds.
 */
#ifndef PEGASUS_PROTOCOL_HYBRID_SPIN_H
#define PEGASUS_PROTOCOL_HYBRID_SPIN_H

#include <stdint.h>

#define PEGASUS_SPIN_MAX_NS 50000u      /* about what a sleep and a wake-up cost on a virtual machine */
#define PEGASUS_SPIN_GPU_NS 2000000u    /* for a GPU's reply: a wake-up then costs 2 % of the wait */
#define PEGASUS_SPIN_MIN_NS 1000u       /* twice a null call's round trip: always worth polling for */
#define PEGASUS_SPIN_HIT_MIN_NS 10000u  /* a third of a sleep and a wake-up: cheap once polling pays */
#define PEGASUS_SPIN_GAP_NS 100000u     /* longer than any interrupt handler, shorter than any time slice */
#define PEGASUS_SPIN_PROBE 32u          /* one probe in 32 waits: at most 3 % of waits poll in vain */
#define PEGASUS_SPIN_BACKOFF 1024u      /* waits without probes after the core was taken away */

struct pegasus_spin {
  uint32_t budget_ns;
  uint32_t waits;
  uint32_t backoff; /* waits left that poll for the minimum only */
  uint32_t max_ns;  /* of one wait's polling */
};

static inline void pegasus_spin_init(struct pegasus_spin* spin) {
  spin->budget_ns = PEGASUS_SPIN_MAX_NS;
  spin->waits = 0;
  spin->backoff = 0;
  spin->max_ns = PEGASUS_SPIN_MAX_NS;
}

/* What the other side says pays; it is not trusted with more than PEGASUS_SPIN_GPU_NS. */
static inline void pegasus_spin_limit(struct pegasus_spin* spin, uint32_t max_ns) {
  spin->max_ns = max_ns < PEGASUS_SPIN_MAX_NS   ? PEGASUS_SPIN_MAX_NS
                 : max_ns > PEGASUS_SPIN_GPU_NS ? PEGASUS_SPIN_GPU_NS
                                                : max_ns;
}

/* How long to poll in the wait that begins now. */
static inline uint32_t pegasus_spin_begin(struct pegasus_spin* spin) {
  spin->waits++;
  if (spin->backoff > 0) {
    spin->backoff--;
    return PEGASUS_SPIN_MIN_NS;
  }
  return spin->waits % PEGASUS_SPIN_PROBE == 0 ? spin->max_ns : spin->budget_ns;
}

/* The wait ended while polling, after waited_ns. */
static inline void pegasus_spin_hit(struct pegasus_spin* spin, uint64_t waited_ns) {
  uint64_t next = 2 * waited_ns;
  spin->backoff /= 2; /* the other side does run at the same time */
  if (next > spin->max_ns)
    next = spin->max_ns;
  if (next < PEGASUS_SPIN_HIT_MIN_NS)
    next = PEGASUS_SPIN_HIT_MIN_NS;
  /* The budget shrinks slowly and grows at once: one slow call among fast ones should not cost a sleep. */
  if (next < spin->budget_ns)
    next = (3 * (uint64_t)spin->budget_ns + next) / 4;
  spin->budget_ns = (uint32_t)next;
}

/* Polling ended without success; longest_gap_ns is the longest time between two clock readings. */
static inline void pegasus_spin_miss(struct pegasus_spin* spin, uint64_t longest_gap_ns) {
  spin->budget_ns = spin->budget_ns / 2 < PEGASUS_SPIN_MIN_NS ? PEGASUS_SPIN_MIN_NS : spin->budget_ns / 2;
  if (longest_gap_ns > PEGASUS_SPIN_GAP_NS)
    spin->backoff = PEGASUS_SPIN_BACKOFF;
}

#endif
