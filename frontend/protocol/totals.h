/* SPDX-License-Identifier: MIT */
/*
 * What a guest may read of its own tasks: the device time that pegasusd has charged them, so that a guest can run a
 * scheduler of its own among them (Fleig, 3.4 and 6.1: all accounting in one place, its results passed to the virtual
 * machines).
 *
 * A guest gets its pages by a connect request of kind PEGASUS_CONNECT_TOTALS. pegasusd writes them, without ever
 * reading them, once a millisecond while a task of the domain has calls, else 50 times a second. To read, copy them
 * while `sequence` is even, and again if it has changed meanwhile:
 *
 *   do { s = sequence (acquire); copy; fence (acquire); } while (s is odd or sequence (relaxed) != s)
 *
 * A reader that finds `sequence` odd for long, or `updates` unchanged for a second, has lost pegasusd.
 */
#ifndef PEGASUS_PROTOCOL_TOTALS_H
#define PEGASUS_PROTOCOL_TOTALS_H

#include <stdint.h>

#define PEGASUS_TOTALS_MAGIC 0x53544f54u /* "TOTS" */
#define PEGASUS_TOTALS_TASKS 254u        /* the most that are listed */

struct pegasus_task_total {
  uint32_t task;    /* connect_reply.task of its channel; a number is used again after its task has ended */
  uint32_t process; /* on the local transport as pegasusd's kernel sees it; in a guest of Xen as the task says itself */
  uint64_t device_ns;
  uint32_t calling; /* 1: it has calls that wait or are executed, as far as is known */
  uint32_t reserved[3];
};

struct pegasus_totals {
  uint32_t magic;
  uint32_t version;  /* the chosen one (handshake.h) */
  uint32_t sequence; /* odd while the pages change */
  uint32_t tasks;    /* entries in use, by ascending task */
  uint32_t unlisted; /* tasks for which there was no entry left */
  uint32_t reserved;
  uint64_t updates;
  uint64_t padding[4];
  struct pegasus_task_total task[PEGASUS_TOTALS_TASKS];
};

#endif
