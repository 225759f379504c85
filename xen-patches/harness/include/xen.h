/* SPDX-License-Identifier: GPL-2.0-only */
// For Xen's public/xen.h, which sched_state.h includes: all that it needs of it.
#pragma once

#include <stdint.h>
