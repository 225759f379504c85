// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/call_traits.h"

#include <catch2/catch.hpp>

// Another service's list and structs.
#define PEGASUS_TALLY_CALLS(CALL)                                                                            \
  CALL(256, TALLY_ADD, tally_add, POSTED, LATER, HANDLE(STREAM, stream))                                     \
  CALL(257, TALLY_SUM, tally_sum, SYNC, ALL, HANDLE(MODULE, module))
struct pegasus_tally_add_request {
  std::uint64_t stream;
};
struct pegasus_tally_sum_request {
  std::uint64_t module;
};
struct pegasus_tally_sum_reply {
  std::uint64_t sum;
};

namespace pegasus::frontend {
PEGASUS_TALLY_CALLS(PEGASUS_TRAITS)
} // namespace pegasus::frontend

using namespace pegasus::frontend;

TEST_CASE("requests of any service lead to their numbers, kinds and replies") {
  CHECK(number_of<pegasus_ping_request> == PEGASUS_CALL_PING);
  CHECK(is_sync<pegasus_ping_request>);
  CHECK_FALSE(is_sync<pegasus_fill_request>);
  CHECK((number_of<pegasus_tally_add_request> == 256 && number_of<pegasus_tally_sum_request> == 257));
  CHECK((!is_sync<pegasus_tally_add_request> && is_sync<pegasus_tally_sum_request>));
  CHECK(std::is_same_v<ReplyOf<pegasus_tally_sum_request>, pegasus_tally_sum_reply>);
}
