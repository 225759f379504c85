/* SPDX-License-Identifier: GPL-2.0-only */
// Replaces Xen's public/xen.h: everything that sched_state.h needs from it.
#pragma once

#include <stdint.h>
