/* SPDX-License-Identifier: MIT */
/*
 * XENMEM_resource_sched_state of DOMID_XEN, id: a domain, or DOMID_SELF.  Xen
 * writes it whenever the state of one of the domain's vCPUs changes, a
 * privileged domain maps it read-only.
 *
 * To read a slot: read seq; while it is odd, start again.  Read the others.
 * Read seq again; if it has changed, start again.  Put read barriers between.
 * A seq of 0 means that there is no such vCPU (yet).
 *
 * Times are Xen's system time in ns.
 *
 * The same as Xen's public/sched_state.h (0001-*.patch), but for the include.
 */
#ifndef __XEN_PUBLIC_SCHED_STATE_H__
#define __XEN_PUBLIC_SCHED_STATE_H__

#include <stdint.h>

#define XEN_SCHED_STATE_VERSION 1

/* At offset 0. */
struct xen_sched_state_hdr {
    uint32_t version;       /* XEN_SCHED_STATE_VERSION */
    uint32_t nr_vcpus;      /* number of slots */
    uint32_t slot_offset;   /* offset of slot 0 in bytes */
    uint32_t slot_size;     /* distance between two slots in bytes */
    uint32_t domid;
    uint32_t pad[11];       /* 0 */
};

/* How a runnable vCPU is queued; a scheduler may have no such classes. */
#define XEN_SCHED_PRIORITY_none  0
#define XEN_SCHED_PRIORITY_over  1 /* has used up its credit */
#define XEN_SCHED_PRIORITY_under 2 /* has credit left */
#define XEN_SCHED_PRIORITY_boost 3 /* has just woken up, goes first */

/* One per vCPU, in the order of their ids; a cache line each. */
struct xen_sched_state_vcpu {
    uint32_t seq;           /* odd while Xen writes the slot */
    uint16_t state;         /* RUNSTATE_* */
    uint16_t priority;      /* XEN_SCHED_PRIORITY_* */
    uint32_t cpu;           /* pCPU it runs on; if it doesn't run: ran last */
    int32_t  credit;        /* left, in the scheduler's own unit; else 0, and
                             * 0 while offline or before its first change */
    uint64_t entry_time;    /* when state was entered */
    uint64_t update_time;   /* when this slot was written */
    uint64_t time[4];       /* spent in each RUNSTATE_* before entry_time */
};

#endif /* __XEN_PUBLIC_SCHED_STATE_H__ */
