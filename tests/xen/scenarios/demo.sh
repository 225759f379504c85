# SPDX-License-Identifier: Apache-2.0
# The demo: four guests run verified CUDA programs at once under $PEGASUS_POLICY, which is switched live in between.
policy=$(cat /share/policy)
start_daemon --policy none
for g in 1 2 3 4; do
  case $g in # an SLO is what slaf goes by: of all together no more than 1 can be promised
  1) share="credits=1024,slo=0.4" ;;
  3) share="credits=256,slo=0.1" ;;
  *) share="credits=512,slo=0.2" ;;
  esac
  guest g$g "$share,memory=64M"
done
for g in 1 2 3 4; do await_guest g$g; done
echo "DEMO four guests are up"
for g in 1 2 3 4; do run_in g$g demo "./black_scholes --options 8192 --seconds 12"; done
busy() { [ "$(pegasusctl --json domains | grep -c '"program": "black_scholes"')" = 4 ]; }
until_true 60 "four programs use the accelerator" busy
pegasusctl policy "$policy" >/dev/null || fail "there is no policy $policy"
echo "DEMO policy $policy, switched to live"
sleep 2
cpu_of() { xl list | awk -v name="$1" '$1 == name {print $NF}'; }
pegasusctl --json domains >/share/begin.json
for g in 1 2 3 4; do echo "g$g $(cpu_of g$g)"; done >/share/cpu-begin
cut -d' ' -f1 /proc/uptime >/share/time-begin
sleep 5
pegasusctl --json domains >/share/end.json
for g in 1 2 3 4; do echo "g$g $(cpu_of g$g)"; done >/share/cpu-end
cut -d' ' -f1 /proc/uptime >/share/time-end
for g in 1 2 3 4; do passed g$g demo 180; done
for g in 1 2 3 4; do output_of g$g demo | sed -n "s/^result: /g$g /p"; done >/share/results
for g in 1 2 3 4; do xl destroy g$g; done
echo "DEMO every result was verified"
