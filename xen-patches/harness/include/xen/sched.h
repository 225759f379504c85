/* SPDX-License-Identifier: GPL-2.0-only */
// Replaces Xen's xen/sched.h: the parts of domains and vCPUs that state.c uses. Names and types are Xen's.
#pragma once

#include "xen-patches/harness/include/xen/lib.h"

#define RUNSTATE_running 0
#define RUNSTATE_runnable 1
#define RUNSTATE_blocked 2
#define RUNSTATE_offline 3

typedef struct {
  bool locked;
} spinlock_t;

struct vcpu_runstate_info {
  int state;
  uint64_t state_entry_time;
  uint64_t time[4];
};

struct sched_unit {
  char priv; // belongs to its scheduler
};

struct vcpu {
  unsigned int vcpu_id;
  unsigned int processor;
  struct domain* domain;
  struct sched_unit* sched_unit;
  uint32_t sched_state_seq;
  struct vcpu_runstate_info runstate;
};

struct domain {
  domid_t domain_id;
  unsigned int max_vcpus;
  struct vcpu** vcpu;
  spinlock_t domain_lock;
  void** sched_state;
  enum { DOMDYING_alive, DOMDYING_dying, DOMDYING_dead } is_dying;
};

#define spin_is_locked(lock) ((lock)->locked)

static inline void spin_lock(spinlock_t* lock) {
  ASSERT(!lock->locked); // would wait forever
  lock->locked = true;
}

static inline void spin_unlock(spinlock_t* lock) {
  ASSERT(lock->locked);
  lock->locked = false;
}

static inline void domain_lock(struct domain* d) { spin_lock(&d->domain_lock); }
static inline void domain_unlock(struct domain* d) { spin_unlock(&d->domain_lock); }

#ifdef __cplusplus
extern "C" {
#endif
s_time_t NOW(void);

// Defined in state.c.
unsigned int sched_state_max_frames(const struct domain* d);
int sched_state_acquire(struct domain* d, unsigned int frame, unsigned int nr_frames, xen_pfn_t mfn_list[]);
#ifdef __cplusplus
}
#endif
