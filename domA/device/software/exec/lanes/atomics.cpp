// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/lanes/atomics.h"

#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/machine/block.h"

#include <atomic>
#include <bit>
#include <cstring>

namespace pegasus::software {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// One thread executes all kernels, so an atomic is a load, an operation and a store, but where the program has the same
// memory; lanes execute in ascending order. F::apply(old, b, c, shared) is the new value. Op: d = [a + imm], b, c.
template <class F, class T> T apply(std::byte* where, T b, T c, OperandIn in) {
  T old;
  std::memcpy(&old, where, sizeof(T));
  T now = F::apply(old, b, c, in == OperandIn::shared);
  if (in != OperandIn::host) {
    std::memcpy(where, &now, sizeof(T));
    return old;
  }
  std::atomic_ref<T> value(*reinterpret_cast<T*>(where));
  while (!value.compare_exchange_weak(old, now))
    now = F::apply(old, b, c, false);
  return old;
}

template <class F, class T> Op const* atomic(Warp& w, Op const& op) {
  T* const d = w.reg<T>(op.d);
  T const* const b = w.reg<T>(op.b);
  T const* const c = w.reg<T>(op.c);
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const lane = static_cast<u32>(std::countr_zero(rest));
    OperandIn in{};
    std::byte* const where = atomic_operand(w, op, lane, address_of(w, op, lane), sizeof(T), in);
    if (where == nullptr) return nullptr;
    T const old = apply<F>(where, b[lane], c[lane], in);
    if (!op.discard) d[lane] = old;
  }
  return &op + 1;
}

#define ATOMIC(Name, expression)                                                                             \
  struct Name {                                                                                              \
    template <class T>                                                                                       \
    static T apply([[maybe_unused]] T old, [[maybe_unused]] T b, [[maybe_unused]] T c, bool) {               \
      return static_cast<T>(expression);                                                                     \
    }                                                                                                        \
  };
ATOMIC(Add, old + b)
ATOMIC(Min, b < old ? b : old)
ATOMIC(Max, b > old ? b : old)
ATOMIC(Inc, old >= b ? 0 : old + 1)
ATOMIC(Dec, old == 0 || old > b ? b : old - 1)
ATOMIC(And, old& b)
ATOMIC(Or, old | b)
ATOMIC(Xor, old ^ b)
ATOMIC(Exch, b)
ATOMIC(Cas, old == b ? c : old)

float flushed(float v) {
  u32 const bits = std::bit_cast<u32>(v);
  return (bits & 0x7f800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : v;
}
// Single-precision addition flushes subnormals on global memory, but not on shared memory (PTX ISA 9.7.13.5).
struct AddSingle {
  static u32 apply(u32 old, u32 b, u32, bool shared) {
    float const x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
    float const sum = shared ? x + y : flushed(flushed(x) + flushed(y));
    return sum != sum ? 0x7fffffff : std::bit_cast<u32>(sum);
  }
};
struct AddDouble {
  static u64 apply(u64 old, u64 b, u64, bool) {
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
};
struct AddHalf {
  static u16 apply(u16 old, u16 b, u16, bool) { return half_of(float_of_half(old) + float_of_half(b)); }
};
struct AddHalves {
  static u32 apply(u32 old, u32 b, u32, bool) {
    u32 const low = AddHalf::apply(static_cast<u16>(old), static_cast<u16>(b), 0, false);
    u32 const high = AddHalf::apply(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16), 0, false);
    return low | high << 16;
  }
};

constexpr Entry entries[] = {
    {"atom.add.b32", atomic<Add, u32>},       {"atom.add.b64", atomic<Add, u64>},
    {"atom.add.f32", atomic<AddSingle, u32>}, {"atom.add.f64", atomic<AddDouble, u64>},
    {"atom.add.f16", atomic<AddHalf, u16>},   {"atom.add.f16x2", atomic<AddHalves, u32>},
    {"atom.min.u32", atomic<Min, u32>},       {"atom.min.s32", atomic<Min, s32>},
    {"atom.min.u64", atomic<Min, u64>},       {"atom.min.s64", atomic<Min, s64>},
    {"atom.max.u32", atomic<Max, u32>},       {"atom.max.s32", atomic<Max, s32>},
    {"atom.max.u64", atomic<Max, u64>},       {"atom.max.s64", atomic<Max, s64>},
    {"atom.inc.u32", atomic<Inc, u32>},       {"atom.dec.u32", atomic<Dec, u32>},
    {"atom.and.b32", atomic<And, u32>},       {"atom.and.b64", atomic<And, u64>},
    {"atom.or.b32", atomic<Or, u32>},         {"atom.or.b64", atomic<Or, u64>},
    {"atom.xor.b32", atomic<Xor, u32>},       {"atom.xor.b64", atomic<Xor, u64>},
    {"atom.exch.b32", atomic<Exch, u32>},     {"atom.exch.b64", atomic<Exch, u64>},
    {"atom.cas.b16", atomic<Cas, u16>},       {"atom.cas.b32", atomic<Cas, u32>},
    {"atom.cas.b64", atomic<Cas, u64>},
};

} // namespace

Table atomic_table() { return {entries, sizeof entries / sizeof entries[0]}; }

} // namespace pegasus::software
