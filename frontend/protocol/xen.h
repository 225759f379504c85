/* SPDX-License-Identifier: MIT */
/*
 * How a guest task gets a channel on the Xen transport. PROTOCOL.md has the step-by-step story and all xenstore nodes.
 *
 *   guest process                                      pegasusd (backend domain)
 *   grants the pages of a call buffer (zeroed), and
 *   directory pages that name them
 *   binds two unbound event channels
 *   F/tasks/KEY/{directory,doorbell,control}, then
 *   F/tasks/KEY/state = 3                        --->  copies the directory, checks the copy, maps the pages,
 *                                                      writes the header and, to the start of the arena, a pegasus_connect_reply
 *                                                <---  B/tasks/KEY/state = 4, or 6 and B/tasks/KEY/error, or 2 and
 *                                                      .../error: the guest asks again by writing its state = 3
 *   takes the connect_reply, ends the directory's grants
 *   ... calls through the channel ...
 *   its kernel clears guest_alive and rings control --> unmaps everything, removes F/tasks/KEY and B/tasks/KEY
 *
 * F is the device's frontend directory, /local/domain/GUEST/device/vaccel/N; B its backend directory,
 * /local/domain/BACKEND/backend/vaccel/GUEST/N. The toolstack creates both.
 *
 * doorbell rings the worker or the guest, as channel.h describes (`parked`). control rings pegasusd when the guest is
 * gone, and the guest when the channel is closed.
 */
#ifndef PEGASUS_PROTOCOL_XEN_H
#define PEGASUS_PROTOCOL_XEN_H

#include <stdint.h>

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"
#include "frontend/protocol/totals.h"

#define PEGASUS_XEN_PAGE 4096u
#define PEGASUS_XEN_DIRECTORY_REFS 984u

#define PEGASUS_XEN_PAGES_OF(bytes) (((bytes) + PEGASUS_XEN_PAGE - 1u) / PEGASUS_XEN_PAGE)
/* Pages of a call buffer: header, requests, replies, arena. Both sizes are within the limits of channel.h, slots is a
 * power of two, arena_bytes is whole pages. */
#define PEGASUS_XEN_CHANNEL_PAGES(slots, arena_bytes)                                              \
  (1u + PEGASUS_XEN_PAGES_OF((slots) * (uint32_t)sizeof(struct pegasus_request)) +                 \
   PEGASUS_XEN_PAGES_OF((slots) * (uint32_t)sizeof(struct pegasus_reply)) + PEGASUS_XEN_PAGES_OF(arena_bytes))
#define PEGASUS_XEN_CHANNEL_PAGES_MAX PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX)
#define PEGASUS_XEN_DIRECTORIES_MAX                                                                \
  ((PEGASUS_XEN_CHANNEL_PAGES_MAX + PEGASUS_XEN_DIRECTORY_REFS - 1u) / PEGASUS_XEN_DIRECTORY_REFS)

/* Pages for a connect request of kind PEGASUS_CONNECT_TOTALS: a header, of which only guest_alive, host_alive and
 * close_reason are used, a page where the connect reply begins, and struct pegasus_totals. */
#define PEGASUS_XEN_TOTALS_OFFSET (2u * PEGASUS_XEN_PAGE)
#define PEGASUS_XEN_TOTALS_PAGES (2u + PEGASUS_XEN_PAGES_OF((uint32_t)sizeof(struct pegasus_totals)))

/* The fields of a pegasus_connect_request. The page is full, so what came after version 1 lies where the domain's name does
 * on the local transport: here it is the domain that granted the page. */
struct pegasus_xen_connect_request {
  uint32_t magic;
  uint32_t version;
  uint32_t task;
  uint32_t slots;
  uint32_t arena_bytes;
  uint32_t kind;
  uint32_t oldest;   /* ignored if version is 1 */
  uint32_t features; /* ignored if version is 1 */
  uint32_t reserved[14];
  char program[PEGASUS_NAME_BYTES];
};

/* One page. The first page describes the task. The refs of all pages, concatenated, are the call buffer in order. */
struct pegasus_xen_directory {
  struct pegasus_xen_connect_request connect_request; /* in the first page */
  uint32_t pages;             /* that are named, in the first page */
  uint32_t next;              /* grant reference of the next directory page; 0: this is the last one */
  uint32_t refs[PEGASUS_XEN_DIRECTORY_REFS];
};

enum pegasus_xen_state { /* as in every split driver, public/io/xenbus.h */
  PEGASUS_XEN_INITIALISING = 1,
  PEGASUS_XEN_INIT_WAIT = 2,
  PEGASUS_XEN_INITIALISED = 3,
  PEGASUS_XEN_CONNECTED = 4,
  PEGASUS_XEN_CLOSING = 5,
  PEGASUS_XEN_CLOSED = 6
};

#endif
