// SPDX-License-Identifier: Apache-2.0
// The system call behind ioctl. Tests put another one in its place.
#pragma once

namespace pegasus::facts {

int system_ioctl(int fd, unsigned long request, void* argument);

} // namespace pegasus::facts
