/* SPDX-License-Identifier: GPL-2.0-only */
// Replaces Xen's common/sched/private.h: schedulers, pCPUs and their schedule locks.
#pragma once

#include "xen-patches/harness/include/xen/sched.h"

#include <public/sched_state.h> // the patch's header, not xen-patches/abi

struct scheduler {
  void (*get_credit)(const struct scheduler*, const struct sched_unit*, s_time_t now,
                     struct xen_sched_state_vcpu* slot);
};

struct sched_resource {
  struct scheduler* scheduler;
  spinlock_t* schedule_lock;
};

typedef struct {
  unsigned int readers;
} rcu_read_lock_t;

static inline void rcu_read_lock(rcu_read_lock_t* lock) { ++lock->readers; }
static inline void rcu_read_unlock(rcu_read_lock_t* lock) {
  ASSERT(lock->readers > 0);
  --lock->readers;
}

#ifdef __cplusplus
extern "C" {
#endif
extern rcu_read_lock_t sched_res_rculock;

struct sched_resource* get_sched_res(unsigned int cpu);
spinlock_t* pcpu_schedule_lock_irq(unsigned int cpu);
void pcpu_schedule_unlock_irq(spinlock_t* lock, unsigned int cpu);

// Defined in state.c.
void sched_state_write(struct vcpu* v, int state, s_time_t now);
void sched_state_free(struct domain* d);
#ifdef __cplusplus
}
#endif
