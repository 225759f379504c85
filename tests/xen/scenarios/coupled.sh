# SPDX-License-Identifier: Apache-2.0
# Two guests share a pCPU and run programs whose halves on CPU and accelerator need each other, under one policy after
# the other: programs that wait for each call (calls), and programs that compute while kernels run (beside), about as
# long as the kernels take, so that both CPU and accelerator are short. One JSON document before and after each measurement for test_xen.py.
guests_pool
start_daemon --policy none
pegasusctl accelerators | grep -qE "pages written by the hypervisor|Xen's trace buffers" || fail "the schedule comes from elsewhere"
for g in 1 2; do guest_with_device g$g "credits=512,memory=64M" 'pool = "guests"'; done
for g in 1 2; do await_guest g$g; done

# measure KIND POLICY PROGRAM-AND-OPTIONS
measure() {
  pegasusctl --json domains >"/share/$1-$2-begin.json"
  for g in 1 2; do run_in g$g "$1-$2" "./$3"; done
  for g in 1 2; do
    until_true 180 "g$g's $1 under $2 ends" has_ended g$g "$1-$2"
    [ $g = 2 ] || pegasusctl --json domains >"/share/$1-$2-end.json"
  done
  for g in 1 2; do passed g$g "$1-$2" 10; done
  for g in 1 2; do output_of g$g "$1-$2" | sed -n "s/^result: /RESULT $1 $2 g$g /p"; done
}

for policy in none rr accc augc cosched fair; do
  pegasusctl policy $policy >/dev/null || fail "there is no policy $policy"
  measure calls $policy "null_calls --calls 1000 --launch-every 20"
  measure beside $policy "coupled --seconds 2 --launches 8 --rounds 1250 --cpu-rounds 600000"
done

# Both guests compute now and then, for longer than a time slice, so that one waits for the pCPU though it has credit:
# what a boost is worth. (One that always computes has used its credit up whenever it waits, and a boost leaves it alone.)
xl sched-credit -s -p guests -t 90
for g in 1 2; do
  run_in g$g bursts "timeout 600 sh -c 'while :; do i=0; while [ \$i -lt 6000 ]; do i=\$((i + 1)); done; sleep 0.3; done'"
done
sleep 1
boost_probe "$(id_of g1)" 10 >/run/boost || fail "boost_probe"
sed 's/^/BOOST /' /run/boost
for g in 1 2; do xl destroy g$g; done
