# SPDX-License-Identifier: Apache-2.0
# One guest breaks the protocol in every way it can, and is answered as promised each time; its neighbours verify their
# results all the while. /share/policy, only, looks: what ci/attack asks for.
start_daemon --policy "$(cat /share/policy 2>/dev/null || echo accc)"
only=$(cat /share/only 2>/dev/null)
looks=$(cat /share/looks 2>/dev/null || echo 4)
pegasusctl version --host | grep "workers are separated in every way" || fail "Dom0's workers are not locked up"
[ "$(cat /proc/$daemon/oom_score_adj)" = -900 ] || fail "Linux may take pegasusd before its workers"
for g in 1 2; do guest g$g "memory=64M"; done
guest g3 "memory=64M" "memory = 384" # of which it grants as much as it can
for g in 1 2 3; do await_guest g$g; done
hostile=$(id_of g3)
broken() { grep -c "its worker exited with status 71" /var/log/pegasusd.log; }

attack_memory() {
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
}

attack_protocol() {
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
}

# look: pages that the workers of g3 have mapped. The honest ones' are asked for last: none of them is taken for g3's.
look() {
  all=" $(pidof pegasus-avcpu) "
  until_true 60 "pegasusd answers" sh -c "pegasusctl --json domains >/run/look.json" # in its 5 s, or again
  for honest in $(workers_of g1 </run/look.json) $(workers_of g2 </run/look.json); do
    all=$(echo "$all" | sed "s/ $honest / /")
  done
  attackers=$all
  pages=$(mapped_by $attackers)
  [ "$pages" -le "$most" ] || most=$pages
}
has_many() { look && [ "$pages" -ge 8000 ]; }
# watch_all WHEN: looks again and again; what pegasusd counts is kept. In `most`, the most pages of g3 so far.
watch_all() {
  number=0
  while [ $number -le "$looks" ]; do
    look
    cp /run/look.json "/share/$1-$number.json"
    cut -d' ' -f1 /proc/uptime >>"/share/$1-times"
    number=$((number + 1))
    sleep 1
  done
}

attack_maptrack() {
  stage maptrack
  most=0
  until_true 30 "nothing is mapped" sh -c '! pidof pegasus-avcpu >/dev/null'
  set -- $(maptrack_frames)
  echo "MAPTRACK before: $1 of $2 frames"
  run_in g1 greedy "./throttle --rounds 20000 --blocks 1 --sync-every 64 --seconds 3600"
  run_in g2 waiting "./throttle --rounds 20000 --blocks 1 --sync-every 1 --seconds 3600"
  until_true 60 "two programs use the accelerator" running 2 throttle
  sleep 3 # beyond their calibration
  pegasusctl reset >/dev/null
  watch_all alone
  run_in g3 maptrack "echo 65536 >/sys/module/xen_gntalloc/parameters/limit; ./many_tasks 3600"
  until_true 120 "g3 has many pages mapped" has_many
  run_in g1 beside "./vector_add"
  pegasusctl reset >/dev/null
  watch_all beside
  passed g1 beside 120
  has_ended g3 maptrack && fail "the attack was over before an honest program was"
  echo "MAPTRACK mapped: $most pages of g3's, $(mapped_by $daemon) by pegasusd itself"
  [ $most -le 8400 ] || fail "pegasusd maps more than --guest-pages of one guest"
  # A process that is frozen so does not even end when it is killed.
  stuck=/run/freezer/stuck
  mkdir -p /run/freezer && mount -t cgroup -o freezer freezer /run/freezer && mkdir $stuck || fail "no freezer"
  echo FROZEN >$stuck/freezer.state
  freeze_many() {
    look
    for worker in $attackers; do echo "$worker" >$stuck/cgroup.procs; done 2>/dev/null # some have ended meanwhile
    frozen=$(mapped_by $(cat $stuck/cgroup.procs))
    [ "$frozen" -ge 4000 ]
  }
  until_true 60 "g3's workers with many pages are frozen" freeze_many
  given_up() { [ "$(grep -c "was killed but has not exited" /var/log/pegasusd.log)" -ge "$(wc -l <$stuck/cgroup.procs)" ]; }
  until_true 120 "they are given up" given_up
  sleep 5
  look
  echo "MAPTRACK mapped: $pages, $frozen of them by workers that do not end"
  [ $most -le 8400 ] || fail "what workers that do not end have mapped does not count"
  echo THAWED >$stuck/freezer.state
  run_in g3 maptrack-end "kill -USR1 \$(pidof many_tasks)"
  passed g3 maptrack 120
  output_of g3 maptrack | grep "refused: .*--guest-pages" || fail "g3 is not told why it gets no more"
  output_of g3 maptrack | grep "^maptrack: "
  for pair in "g1 greedy" "g2 waiting"; do
    set -- $pair
    run_in "$1" "$2-end" "kill -9 \$(pidof throttle)" # it would compute for long to verify what it has done
  done
  until_true 60 "nothing is mapped" sh -c '! pidof pegasus-avcpu >/dev/null'
  set -- $(maptrack_frames)
  echo "MAPTRACK after: $1 of $2 frames" # they are never given back
  [ "$1" -le $(($2 / 8)) ] || fail "one guest takes a good part of Dom0's table of mapped grants"
}

for attack in ${only:-memory protocol maptrack}; do attack_$attack; done
stage "afterwards the guest can be an honest one"
run_in g3 honest "./vector_add"
passed g3 honest 60
for g in 1 2 3; do xl destroy g$g; done
wc -l </var/log/pegasusd.log | sed 's/^/lines in the log: /'
nothing_is_left
