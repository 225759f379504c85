# SPDX-License-Identifier: Apache-2.0
# What is left to a program that computes between its calls, beside one with kernels that cannot be stopped: each step of g1 computes
# and waits for a kernel, a fraction of a millisecond each; g2 always has kernels of several milliseconds, of one block each. Their
# vCPUs share a pCPU (one), then each has its own (two). Given in files: policies. One JSON document before and after each
# measurement for test_xen.py.
guests_pool 1,2
start_daemon --policy none
for g in 1 2; do guest_with_device g$g "credits=512,memory=64M" 'pool = "guests"'; done
for g in 1 2; do await_guest g$g; done

# measure NAME GUEST...: their programs at the same time.
measure() {
  name=$1
  shift
  for g in "$@"; do
    case $g in
    g1) run_in g1 "$name" "./coupled --launches 1 --rounds 250 --cpu-rounds 15000 --in-turn 1 --seconds 2.2" ;;
    g2) run_in g2 "$name" "./throttle --rounds 6000 --blocks 1 --sync-every 16 --seconds 2.2" ;;
    esac
  done
  for g in "$@"; do
    case $g in
    g1) until_true 60 "g1 uses the accelerator" running 1 coupled ;;
    g2) until_true 60 "g2 uses the accelerator" running 1 throttle ;;
    esac
  done
  sleep 0.3
  pegasusctl --json domains >"/share/$name-begin.json"
  sleep 1.5
  pegasusctl --json domains >"/share/$name-end.json"
  for g in "$@"; do
    passed "$g" "$name" 60
    output_of "$g" "$name" | sed -n "s/^result: /RESULT $name $g /p"
  done
  until_true 20 "no program is left" holds_no_task
}
holds_no_task() { ! pegasusctl --json domains | grep -q '"program":'; }

measure alone-g1 g1
measure alone-g2 g2
for pcpus in one two; do
  xl vcpu-pin g1 0 1 || fail "vcpu-pin"
  xl vcpu-pin g2 0 $([ $pcpus = one ] && echo 1 || echo 2) || fail "vcpu-pin"
  for policy in $(cat /share/policies); do
    switch_policy "$policy"
    measure "$(echo "$policy" | tr := __)-$pcpus" g1 g2
  done
done
for g in 1 2; do xl destroy g$g; done
