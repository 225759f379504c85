/* SPDX-License-Identifier: GPL-2.0-only */
// For Xen's xen/mm.h: a heap which holds one allocation at a time.
#pragma once

#include "xen-patches/harness/include/xen/lib.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE (1L << PAGE_SHIFT)
#define PFN_UP(bytes) (((bytes) + PAGE_SIZE - 1) >> PAGE_SHIFT)

struct domain;

enum XENSHARE_flags { SHARE_rw, SHARE_ro };

struct page_info {
  struct domain* owner; // NULL: not shared
  enum XENSHARE_flags flags;
};

static inline unsigned int get_order_from_pages(unsigned long nr_pages) {
  unsigned int order = 0;
  for (--nr_pages; nr_pages; nr_pages >>= 1)
    ++order;
  return order;
}

#ifdef __cplusplus
extern "C" {
#endif
void* alloc_xenheap_pages(unsigned int order, unsigned int memflags);
void free_xenheap_pages(void* pages, unsigned int order);
struct page_info* virt_to_page(void const* address);
unsigned long virt_to_mfn(void const* address);
void share_xen_page_with_guest(struct page_info* page, struct domain* d, enum XENSHARE_flags flags);
#ifdef __cplusplus
}
#endif
