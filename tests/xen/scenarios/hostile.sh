# SPDX-License-Identifier: Apache-2.0
# One guest breaks the protocol in every way it can, and is answered as promised each time; its neighbours verify their
# results all the while.
start_daemon --policy accc
pegasusctl version --host | grep "workers are separated in every way" || fail "Dom0's workers are not locked up"
[ "$(cat /proc/$daemon/oom_score_adj)" = -900 ] || fail "Linux may take pegasusd before its workers"
for g in 1 2 3; do guest g$g "memory=64M"; done
for g in 1 2 3; do await_guest g$g; done
hostile=$(id_of g3)
broken() { grep -c "its worker exited with status 71" /var/log/pegasusd.log; }
stage "a guest's workers have so much of Dom0's memory"
pegasusctl set g3 host-memory=64K memory=16K || fail "pegasusctl set"
[ "$(xenstore-read "/local/domain/0/backend/vaccel/$hostile/0/host-memory-kb")" = 64 ] || fail "its node is not written"
run_in g1 memory "./black_scholes --options 4096 --seconds 2"
run_in g3 memory "./vector_add"
passed g1 memory 60
until_true 60 "g3's program ends" has_ended g3 memory
[ "$(status_of g3 memory)" != 0 ] || fail "it has more memory than it may have"
grep "domain g3: its workers have used up their host memory" /var/log/pegasusd.log || fail "the log does not say why it ended"
pegasusctl set g3 host-memory=0 memory=64M || fail "pegasusctl set"

for mode in ring replay unmap doorbell control store directory; do
  stage $mode
  broken_before=$(broken)
  for g in 1 2; do run_in g$g $mode "./black_scholes --options 4096 --seconds 4"; done
  run_in g3 $mode "./hostile_guest $mode 4"
  for g in 1 2; do passed g$g $mode 120; done
  passed g3 $mode 60
  output_of g3 $mode | grep -E "^$mode: [1-9][0-9]* attacks" || fail "g3's $mode does not say what it did"
  case $mode in ring | replay) [ "$(broken)" -gt "$broken_before" ] || fail "pegasusd's log does not say that rings were broken" ;; esac
  grep -q "gnttab: error" /var/log/pegasusd.log && fail "a guest makes Xen's libraries write into pegasusd's log"
  kill -0 $daemon || fail "pegasusd is gone"
  no_worker() { [ "$(pidof pegasus-avcpu | wc -w)" = 0 ]; }
  until_true 30 "no worker is left" no_worker
  nodes=$(xenstore-list "/local/domain/0/backend/vaccel/$hostile/0/tasks" 2>/dev/null | wc -l)
  [ "$nodes" -le 40 ] || fail "a hostile guest makes pegasusd keep $nodes tasks' nodes"
done
stage "afterwards the guest can be an honest one"
run_in g3 honest "./vector_add"
passed g3 honest 60
for g in 1 2 3; do xl destroy g$g; done
wc -l </var/log/pegasusd.log | sed 's/^/lines in the log: /'
nothing_is_left
