# SPDX-License-Identifier: Apache-2.0
# Two guests share a pCPU and run programs that wait for each of their calls, under one policy after the other.
xl cpupool-cpu-remove Pool-0 1
printf 'name = "guests"\nsched = "credit"\ncpus = ["1"]\n' >/run/pool.cfg
xl cpupool-create /run/pool.cfg >/dev/null || fail "cpupool-create"
start_daemon --policy none
pegasusctl accelerators | grep -q "pages written by the hypervisor" || fail "the schedule is not read from pages"
for g in 1 2; do guest g$g "credits=512,memory=64M" 'pool = "guests"'; done
for g in 1 2; do await_guest g$g; done
for policy in none rr accc xc augc cosched; do
  pegasusctl policy $policy >/dev/null
  for g in 1 2; do run_in g$g $policy "./null_calls --calls 1000 --launch-every 20"; done
  for g in 1 2; do passed g$g $policy 180; done
  for g in 1 2; do output_of g$g $policy | sed -n "s/^result: /RESULT $policy g$g /p"; done
done
for g in 1 2; do xl destroy g$g; done
