// SPDX-License-Identifier: Apache-2.0
// A hook before each atomic access of engine.cpp. It may do whatever another user of the page could do at
// that moment. engine.cpp is compiled as for ThreadSanitizer, but its runtime library is not linked:
// engine_page_accesses.cpp defines the functions that the compiler calls for an access.
#pragma once

namespace pegasus::fuzz {

// `address`: the word that is about to be accessed. The hook's own accesses do not call it, but those of
// engine.cpp's functions do, even if the hook calls these functions.
using BeforeAccess = void (*)(void const volatile* address);
void before_each_access(BeforeAccess hook); // nullptr: no hook

} // namespace pegasus::fuzz
