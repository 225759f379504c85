# SPDX-License-Identifier: Apache-2.0
# What coordination is worth to programs of short synchronous steps: two guests share a pCPU, each step computes about 0.5 ms on it and
# then waits for a kernel of about 0.1 ms. Given in files: switch_us, what the device costs to change its owner; policies; starts, in
# milliseconds: for each, the second guest's program begins that much after the first's. One JSON document a measurement for test_xen.py.
guests_pool
start_daemon --policy none --software-switch "$(cat /share/switch_us)us"
for g in 1 2; do guest_with_device g$g "credits=512,memory=64M" 'pool = "guests"'; done
for g in 1 2; do await_guest g$g; done

program="./coupled --launches 1 --rounds 125 --cpu-rounds 17000 --in-turn 1 --seconds 1.5"

# measure POLICY MILLISECONDS
measure() {
  pegasusctl --json domains >"/share/$1-$2-begin.json"
  run_in g1 "$1-$2" "$program"
  run_in g2 "$1-$2" "sh -c 'usleep ${2}000; exec $program'"
  until_true 60 "g1 ends under $1" has_ended g1 "$1-$2"
  pegasusctl --json domains >"/share/$1-$2-end.json"
  for g in 1 2; do passed g$g "$1-$2" 60; done
  for g in 1 2; do output_of g$g "$1-$2" | sed -n "s/^result: /RESULT $1 $2 g$g /p"; done
}

for policy in $(cat /share/policies); do
  pegasusctl policy "$policy" >/dev/null || fail "there is no policy $policy"
  for start in $(cat /share/starts); do measure "$policy" "$start"; done
done
for g in 1 2; do xl destroy g$g; done
