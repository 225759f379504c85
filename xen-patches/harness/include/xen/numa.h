/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "xen-patches/harness/include/xen/mm.h"
