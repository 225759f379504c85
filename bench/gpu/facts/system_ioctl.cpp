// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/system_ioctl.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::facts {

int system_ioctl(int fd, unsigned long request, void* argument) {
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

} // namespace pegasus::facts
