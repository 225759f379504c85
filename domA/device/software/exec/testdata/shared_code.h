// SPDX-License-Identifier: Apache-2.0
// Functions that run on the host and in kernels.cu: the test compares their results.
#pragma once

#ifdef __CUDACC__
#define BOTH __host__ __device__ inline
#else
#define BOTH inline
#endif

namespace both {

BOTH int mandelbrot(float cx, float cy, int limit) {
  float x = 0, y = 0;
  int n = 0;
  for (; n < limit && x * x + y * y <= 4.0f; ++n) {
    float const t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  return n;
}

BOTH unsigned long long mix64(unsigned long long x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

BOTH long long divisions(long long a, int i) {
  long long const d = i % 7 - 3 != 0 ? i % 7 - 3 : 9;
  int const small = static_cast<int>(a) / (i + 1) + static_cast<int>(a) % (i + 3);
  unsigned const u = static_cast<unsigned>(a) / static_cast<unsigned>(i + 1);
  unsigned long long const wide = static_cast<unsigned long long>(a) % static_cast<unsigned>(i + 11);
  return a / d + a % d + small + u + static_cast<long long>(wide);
}

BOTH int state_machine(int seed) {
  int state = 0, sum = 0;
  for (int i = 0; i < 50; ++i) {
    switch ((state * 31 + seed + i) % 9) {
    case 0:
      state += 3;
      break;
    case 1:
      state ^= 5;
      [[fallthrough]];
    case 2:
      sum += state;
      continue;
    case 3:
      sum -= i;
      break;
    case 4:
      if (sum > 100) return sum * 2;
      break;
    case 5:
      state = sum & 15;
      break;
    case 6:
      sum += 7;
      [[fallthrough]];
    default:
      state += i;
      break;
    }
    sum += state % 4;
  }
  return sum;
}

BOTH unsigned collatz(unsigned n) {
  unsigned steps = 0;
  while (n != 1 && steps < 1000) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  return steps;
}

BOTH int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

struct Particle {
  double x, v;
  float mass;
  short kind;
  char tag[3];
};

BOTH Particle step(Particle p, double dt) {
  p.v += dt * (p.kind == 1 ? -p.x : 0.5 * p.x) / p.mass;
  p.x += dt * p.v;
  p.tag[p.kind] = static_cast<char>(p.tag[p.kind] + 1);
  return p;
}

} // namespace both
