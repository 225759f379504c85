# SPDX-License-Identifier: Apache-2.0
# The layouts of two of the papers' figures. Given in files: figure; policies. One JSON document a measurement for test_xen.py.
#
#   pegasus-fig4  four guests: g1 and g3 share a pCPU and an accelerator, g2 and g4 the others; Dom0 has two pCPUs. A step computes
#                 about 0.7 ms and waits for a kernel of about 6 ms, equal credits.
#   fairgv-fig9   six guests on three pCPUs, two on each, one accelerator, weights and credits 1:2:2:3:3:4. A step waits for a kernel of
#                 about 3.8 ms, ten times the paper's: a call costs this machine 0.3 ms.
figure=$(cat /share/figure)

# placed GUEST CREDITS PCPU
placed() {
  guest_with_device "$1" "credits=$2,memory=16M" "pool = \"guests\"
cpu_weight = $2
cpus = \"$3\""
}

case $figure in
pegasus-fig4)
  guests_pool 2,3
  start_daemon --policy none --software-accelerators 2 --memory 64M
  guests="g1 g2 g3 g4"
  placed g1 256 2
  placed g2 256 3
  placed g3 256 2
  placed g4 256 3
  program="./coupled --launches 1 --rounds 7500 --cpu-rounds 23800 --in-turn 1"
  for g in g1 g3; do pegasusctl set $g accelerator=0 || fail "set $g"; done
  for g in g2 g4; do pegasusctl set $g accelerator=1 || fail "set $g"; done
  ;;
fairgv-fig9)
  guests_pool 1,2,3
  start_daemon --policy none --memory 128M
  guests="g1 g2 g3 g4 g5 g6"
  placed g1 256 1
  placed g2 512 1
  placed g3 512 2
  placed g4 768 2
  placed g5 768 3
  placed g6 1024 3
  program="./coupled --launches 1 --rounds 4700 --cpu-rounds 100 --in-turn 1"
  ;;
esac
for g in $guests; do await_guest "$g"; done

# One alone, to know its step.
run_in g1 alone "$program --seconds 1"
passed g1 alone 60
output_of g1 alone | sed -n 's/^result: /ALONE /p'
until_true 20 "no program is left" running 0 coupled

# measure POLICY SECONDS
measure() {
  for g in $guests; do run_in "$g" "$1" "$program --seconds $(($2 + 2))"; done
  until_true 60 "all programs use the accelerator" running "$(echo "$guests" | wc -w)" coupled
  sleep 1
  pegasusctl --json domains >"/share/$1-begin.json"
  sleep "$2"
  pegasusctl --json domains >"/share/$1-end.json"
  for g in $guests; do passed "$g" "$1" 60; done
  for g in $guests; do output_of "$g" "$1" | sed -n "s/^result: /RESULT $1 $g /p"; done
}

for policy in $(cat /share/policies); do
  pegasusctl policy "$policy" >/dev/null || fail "there is no policy $policy"
  measure "$policy" 4
done
for g in $guests; do xl destroy "$g"; done
