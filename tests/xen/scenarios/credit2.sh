# SPDX-License-Identifier: Apache-2.0
# Xen's scheduler is credit2; then a guest moves between its pool and one of credit while it works. Assertions on.
pool() { # SCHEDULER: the second pCPU's
  printf 'name = "guests"\nsched = "%s"\ncpus = ["1"]\n' "$1" >/run/pool.cfg
  xl cpupool-create /run/pool.cfg >/dev/null || fail "cpupool-create"
}
xl info | grep -q "^xen_scheduler.*credit2" || fail "the scheduler is not credit2"
xl cpupool-cpu-remove Pool-0 1
pool credit2
start_daemon --policy xc
pegasusctl accelerators | grep -q "pages written by the hypervisor" || fail "the schedule is not read from pages"
for g in 1 2; do guest g$g "memory=64M" 'pool = "guests"'; done
for g in 1 2; do await_guest g$g; done

stage "weights of credit2 are followed"
xl sched-credit2 -d g1 -w 1024
xl sched-credit2 -d g2 -w 256
for g in 1 2; do run_again g$g load "./throttle --microseconds 4000 --seconds 12 --sync-every 64"; done
until_true 60 "two programs use the accelerator" running 2 throttle
sleep 3 # beyond their calibration
pegasusctl --json domains >/share/weights-begin.json
sleep 5
pegasusctl --json domains >/share/weights-end.json

stage "one of them moves between pools of credit and credit2, under policies that read the schedule"
for g in 1 2; do xl cpupool-migrate g$g Pool-0 || fail "move to Pool-0"; done
xl cpupool-destroy guests || fail "cpupool-destroy"
pool credit
for policy in cosched augc xc cosched augc xc; do
  pegasusctl policy $policy >/dev/null
  xl cpupool-migrate g1 guests || fail "move to the pool of credit"
  sleep 0.5
  xl cpupool-migrate g1 Pool-0 || fail "move to the pool of credit2"
  sleep 0.3
done
[ "$(boost_probe "$(id_of g1)" once)" = unsupported ] || fail "credit2 says that it boosts"
xl cpupool-migrate g1 guests || fail "move to the pool of credit"
[ "$(boost_probe "$(id_of g1)" once)" = given ] || fail "credit knows no boost"
for g in 1 2; do enough g$g load; done
for g in 1 2; do passed g$g load 180; done
for g in 1 2; do xl destroy g$g; done
nothing_is_left
