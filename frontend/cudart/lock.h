// SPDX-License-Identifier: Apache-2.0
// A mutex that needs no C++ runtime: the archive is also linked into programs without one.
#pragma once

#include <pthread.h>

namespace pegasus::cudart {

struct Mutex {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class Lock {
public:
  explicit Lock(Mutex& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_.mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex_.mutex); }
  Lock(Lock const&) = delete;
  Lock& operator=(Lock const&) = delete;

private:
  Mutex& mutex_;
};

} // namespace pegasus::cudart
