# SPDX-License-Identifier: Apache-2.0
# Guests that are promised more memory than there is: refused, or let in one after the other. MTTCG, assertions on.
why() { pegasusctl accelerators --why; }
waits() { why | grep -Eq "^$1 .* waits for "; }
waits_not() { ! waits "$1"; }
refused() { why | grep -Eq "^$1 .* refused "; }

start_daemon --memory 128M
guest g1 "memory=96M"
guest g2 "memory=112M"
guest g3 "memory=16M"
for g in 1 2 3; do await_guest g$g; done

stage "a promise that cannot be kept is refused"
run_in g1 holds "./throttle --seconds 600 & echo \$! >pid; wait; echo PASS"
until_true 60 "g1 runs" running 1 throttle
run_in g2 refused "./throttle --seconds 1"
until_true 60 "g2 is refused" has_ended g2 refused
[ "$(status_of g2 refused)" != 0 ] || fail "g2 was let in"
output_of g2 refused | grep -q "refused this program: domain g2 needs 112M .*; 32M is free" || fail "g2 is not told why"
refused g2 || fail "--why does not say so"

stage "the next pegasusd has guests wait"
kill "$daemon"
wait "$daemon"
until_true 60 "g1's program ends with its pegasusd" has_ended g1 holds
start_daemon --memory 128M --admission wait
run_in g1 first "./throttle --seconds 600 & echo \$! >pid; wait; echo PASS"
until_true 60 "g1 runs" running 1 throttle
run_in g2 second "./throttle --seconds 20"
until_true 60 "g2 waits" waits g2
run_in g3 third "./throttle --seconds 1"
until_true 60 "g3 waits, though it would fit without g2" waits g3
waits g2 || fail "g2 has lost its place"
run_in g1 end "kill \$(cat pid); echo PASS"
until_true 60 "g2 is let in" waits_not g2
passed g2 second 120
passed g3 third 120
output_of g2 second | grep -q "waiting for an accelerator: domain g2 needs 112M" || fail "g2 is not told that it waits"
[ "$(output_of g2 second | grep -c "waiting for")" = 1 ] || fail "g2 is told more than once"

stage "a program that is killed while it waits leaves the line"
run_in g1 fourth "./throttle --seconds 600 & echo \$! >pid; wait; echo PASS"
until_true 60 "g1 runs" running 1 throttle
run_in g2 victim "./throttle --seconds 600 & echo \$! >pid; wait; echo PASS"
until_true 60 "g2 waits" waits g2
run_in g2 end "kill -9 \$(cat pid); echo PASS"
until_true 60 "g2 waits no more" waits_not g2
run_in g3 fifth "./throttle --seconds 1"
passed g3 fifth 120

stage "a guest that is destroyed while it waits is forgotten"
run_in g2 sixth "./throttle --seconds 600"
until_true 60 "g2 waits" waits g2
xl destroy g2
until_true 60 "g2 is forgotten" guests_are g1 g3
xl destroy g1
xl destroy g3
nothing_is_left
