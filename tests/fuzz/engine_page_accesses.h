// SPDX-License-Identifier: Apache-2.0
// Something to do before each atomic access that engine.cpp makes: whatever a peer of the page could do at
// that moment. engine.cpp is compiled as for ThreadSanitizer, whose runtime library is not linked: the
// functions that the compiler calls for an access are ours.
#pragma once

namespace pegasus::fuzz {

// `address`: of the word that is about to be accessed. One at a time; not called for the accesses it makes.
using BeforeAccess = void (*)(void const volatile* address);
void before_each_access(BeforeAccess hook); // nullptr: nothing

} // namespace pegasus::fuzz
