/* SPDX-License-Identifier: GPL-2.0-only */
// Replaces Xen's xen/mm.h, xen/domain_page.h and xen/numa.h: pages, their owners and references, and where
// Xen has mapped them.
#pragma once

#include "xen-patches/harness/include/xen/lib.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE (1L << PAGE_SHIFT)

#define MEMF_no_refcount (1U << 4)
#define MEMF_node(node) (((node) + 1U) << 16)
#define PGT_count_mask 0x3ffffffUL

struct domain;
extern struct domain* dom_xen;

struct page_info {
  struct domain* owner; // NULL: free
  unsigned int references;
  bool allocated; // one of the references belongs to the allocation
  struct {
    struct {
      unsigned long type_info;
    } inuse;
  } u;
};

typedef struct {
  unsigned long mfn;
} mfn_t;
static inline unsigned long mfn_x(mfn_t mfn) { return mfn.mfn; }

#ifdef __cplusplus
extern "C" {
#endif
unsigned int domain_to_node(const struct domain* d);
struct page_info* alloc_domheap_page(struct domain* d, unsigned int memflags);
bool get_page(struct page_info* page, const struct domain* d);
void put_page_alloc_ref(struct page_info* page);
void put_page(struct page_info* page);
struct page_info* mfn_to_page(mfn_t mfn);
void* __map_domain_page_global(const struct page_info* page);
void unmap_domain_page_global(void const* address);
mfn_t domain_page_map_to_mfn(void const* address);
void clear_page(void* address);
void* harness_zalloc(size_t size, size_t count);
void harness_free(void* memory);
#ifdef __cplusplus
}
#endif

#define xzalloc_array(type, count) ((type*)harness_zalloc(sizeof(type), count))
#define XFREE(memory) (harness_free(memory), (memory) = NULL)
