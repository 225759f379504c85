# SPDX-License-Identifier: Apache-2.0
# One guest breaks the protocol in every way it can; its neighbours verify their results all the while.
start_daemon --policy accc
for g in 1 2 3; do guest g$g "memory=64M"; done
for g in 1 2 3; do await_guest g$g; done
for mode in ring replay unmap events store directory; do
  echo "STAGE $mode"
  for g in 1 2; do run_in g$g $mode "./black_scholes --options 4096 --seconds 5"; done
  run_in g3 $mode "./hostile_guest $mode 4"
  for g in 1 2; do passed g$g $mode 120; done
  until_true 60 "the hostile program ends" has_ended g3 $mode
  kill -0 $daemon || fail "pegasusd is gone"
  no_worker() { [ "$(pidof pegasus-avcpu | wc -w)" = 0 ]; }
  until_true 30 "no worker is left" no_worker
done
echo "STAGE afterwards the guest can be an honest one"
run_in g3 honest "./vector_add"
passed g3 honest 60
for g in 1 2 3; do xl destroy g$g; done
only_dom0() { [ "$(xl list | wc -l)" = 2 ]; }
until_true 20 "the guests are gone" only_dom0
wc -l </var/log/pegasusd.log | sed 's/^/lines in the log: /'
echo "STAGE done"
