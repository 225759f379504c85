# SPDX-License-Identifier: Apache-2.0
# The demo: four guests run verified CUDA programs at once under each of the policies in /share/policies, which are switched live.
policies=$(cat /share/policies)
guests_pool 1,2
start_daemon --policy none
for g in 1 2 3 4; do
  case $g in
  1) share="credits=1024" slo=0.4 ;;
  3) share="credits=256" slo=0.1 ;;
  *) share="credits=512" slo=0.2 ;;
  esac
  # It is what slaf goes by; other policies would keep it, too, and so not differ.
  case " $policies " in *" slaf "*) share="$share,slo=$slo" ;; esac
  guest_with_device g$g "$share,memory=64M" 'pool = "guests"'
done
for g in 1 2 3 4; do await_guest g$g; done
echo "DEMO four guests are up"
# 7 s a policy, and what it takes until all four have begun.
seconds=$((7 * $(echo "$policies" | wc -w) + 6))
for g in 1 2 3 4; do run_in g$g demo "./black_scholes --options 8192 --seconds $seconds"; done
busy() { [ "$(pegasusctl --json domains | grep -c '"program": "black_scholes"')" = 4 ]; }
until_true 60 "four programs use the accelerator" busy
# Each document says for how long it has counted: what it takes to ask changes nothing. xl's CPU seconds have a clock of their own.
take() { # NUMBER-OF-POLICY begin or end
  pegasusctl --json domains >"/share/$1-$2.json"
  { cut -d' ' -f1 /proc/uptime && xl list; } >"/share/$1-cpu-$2"
}
number=0
for policy in $policies; do
  switch_policy "$policy"
  echo "DEMO policy $policy, switched to live"
  sleep 2
  take $number begin
  sleep 5
  take $number end
  number=$((number + 1))
done
for g in 1 2 3 4; do passed g$g demo 180; done
for g in 1 2 3 4; do output_of g$g demo | sed -n "s/^result: /g$g /p"; done >/share/results
if [ -e /share/shell ]; then
  for g in 1 2 3 4; do run_in g$g more "./black_scholes --options 8192 --seconds 3600"; done
  echo "DEMO a shell in Dom0, the programs go on: pegasusctl top, pegasusctl policy fair, pegasusctl set g1 credits=64, xl list; exit ends the machine"
  setsid cttyhack sh
fi
for g in 1 2 3 4; do xl destroy g$g; done
echo "DEMO every result was verified"
