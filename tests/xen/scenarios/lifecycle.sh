# SPDX-License-Identifier: Apache-2.0
# A PV guest and a PVH guest, from their start to their end: reboot, panic, save and restore, shutdown. Assertions on.
load() { run_in "$1" "$2" "./throttle --seconds 60"; }

start_daemon --policy cosched # which reads their schedule: pages of guests that go
guest g1 "credits=300,memory=64M" 'on_crash = "restart"'
guest g2 "credits=600,memory=64M" 'type = "pvh"
on_crash = "restart"'
for g in 1 2; do await_guest g$g; done
xl list -l g2 | grep -q '"type": "pvh"' || fail "g2 is not a PVH guest"

# verify ID PROGRAM...: both guests run them.
verify() {
  id=$1
  shift
  for program in "$@"; do
    for g in 1 2; do run_in g$g "$id-$program" "./$program --elements 20000"; done
  done
  for program in "$@"; do
    for g in 1 2; do passed g$g "$id-$program" 120; done
  done
  until_true 20 "only g1 and g2 are known, by their numbers of now" guests_are g1 g2
}
stage "the same programs in both, with the same results"
verify first vector_add reduction histogram streams_overlap
for program in vector_add reduction histogram streams_overlap; do
  for g in 1 2; do output_of g$g "first-$program" | sed -n 's/"seconds":[^,]*//; /^result/p' >/run/result-$g; done
  grep -q verified /run/result-1 && cmp /run/result-1 /run/result-2 || fail "$program does not say the same in both"
done

# is_back GUEST OLD-ID
is_back() { id=$(id_of "$1" 2>/dev/null) && [ "$id" != "$2" ] && guest_is_up "$1"; }

stage "one is told to reboot, the other panics, both while they work"
for g in 1 2; do load g$g interrupted; done
until_true 60 "two programs use the accelerator" running 2 throttle
g1=$(id_of g1) g2=$(id_of g2)
run_in g2 panic "echo c >/proc/sysrq-trigger"
xl reboot g1 || fail "xl reboot"
until_true 300 "g1 is back" is_back g1 "$g1"
until_true 300 "g2 is back" is_back g2 "$g2"
verify rebooted vector_add

save_and_restore() { # GUEST
  xl save "$1" /run/saved >/run/xl.log 2>&1 && xl restore /run/saved >>/run/xl.log 2>&1 || {
    cat /run/xl.log
    fail "xl save or restore of $1"
  }
  rm /run/saved
  await_guest "$1"
}

stage "saved and restored without a program"
save_and_restore g1
verify restored vector_add

stage "saved and restored with a program"
# Linux's evtchn driver stops a process that closes ports of before the save, so this one does not end: its words count.
until_told="until grep -q '^FAIL' log; do sleep 1; done; cat log; grep -q 'no longer answers' log && echo PASS"
for g in 1 2; do
  run_in g$g saved "./throttle --seconds 60 >log 2>&1 & $until_told"
  until_true 60 "its program uses the accelerator" running 1 throttle
  save_and_restore g$g
  passed g$g saved 60
done
verify again vector_add

stage "shut down while they work"
for g in 1 2; do load g$g last; done
until_true 60 "two programs use the accelerator" running 2 throttle
for g in 1 2; do xl shutdown g$g || fail "xl shutdown g$g"; done
nothing_is_left
