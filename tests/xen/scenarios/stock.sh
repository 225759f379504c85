# SPDX-License-Identifier: Apache-2.0
# Debian's own Xen and toolstack, as they are: devices by `pegasusctl attach`, the CPU schedule from Xen's trace buffers.
# One line of JSON of state_probe for test_xen.py.
start_daemon --policy accc
[ "$(grep -c "CPU schedule: Xen's trace buffers" /var/log/pegasusd.log)" = 1 ] || fail "the log does not say once where the schedule comes from"
pegasusctl accelerators | grep -q "Xen's trace buffers" || fail "pegasusctl says something else"

pegasusctl_shows() { pegasusctl domains | grep -qE "^$1 +$2 "; } # GUEST CREDITS
stage "guests get their device from pegasusctl"
for g in 1 2; do
  guest g$g "credits=$((300 * g)),memory=64M"
  xenstore-exists "/local/domain/$(id_of g$g)/device/vaccel" && fail "this xl is not the distribution's"
  pegasusctl attach g$g /run/g$g.cfg || fail "attach"
  pegasusctl_shows g$g $((300 * g)) || fail "g$g has not the credits of its configuration"
done
no_device() { ! pegasusctl domains | grep -q "^$1 " && ! xenstore-exists "/local/domain/$(id_of "$1")/device/vaccel/0"; }
has_settings() { pegasusctl --json domains | tr -d ' \n' | grep -q "\"name\":\"$1\",\"id\":[0-9]*,\"credits\":$2,\"slo\":$3,"; }
stage "what it cannot give is refused, and what it gave is taken away"
echo 'vaccel = "memory=64M"' >/run/string.cfg
echo 'vaccel = [ "memory=64M,backend=driver" ]' >/run/other.cfg
pegasusctl detach g2 || fail "detach"
until_true 20 "g2 has no device" no_device g2
for refused in /run/string.cfg /run/other.cfg credits=0 memory=1024T; do
  pegasusctl attach g2 $refused 2>/run/refused.log && fail "attached with $refused"
  [ -s /run/refused.log ] || fail "no word about $refused"
done
pegasusctl detach g2 2>/dev/null && fail "detached twice"
pegasusctl attach g2 /run/g2.cfg slo=0.25 || fail "attach with a setting more"
until_true 20 "g2 has its configuration and the setting" has_settings g2 600 0.25
for g in 1 2; do await_guest g$g; done

stage "a guest that a rule names has its device from its creation on, and after a reboot"
mkdir -p /etc/pegasus/guests.d
printf '[[guest]]\nname = "g3*"\ncredits = 777\nmemory = "16M"\n' >/etc/pegasus/guests.d/g3.toml
printf '[[guest]]\nname = "g1"\ncredits = 0\n' >/etc/pegasus/guests.d/wrong.toml
guest g3 ""
until_true 10 "g3 has the credits of its rule" pegasusctl_shows g3 777
grep -q "wrong.toml:3:11: credits=0 is not valid" /var/log/pegasusd.log || fail "the wrong file is not reported"
pegasusctl_shows g1 300 || fail "a rule changed a device that was there"
await_guest g3
run_in g3 ruled "./vector_add --elements 20000"
passed g3 ruled 60
before=$(id_of g3)
xl reboot g3 || fail "xl reboot"
is_back() { id=$(id_of g3 2>/dev/null) && [ "$id" != "$before" ] && guest_is_up g3; }
until_true 120 "g3 is back" is_back
pegasusctl_shows g3 777 || fail "g3 lost its device when it rebooted"
run_in g3 again "./vector_add --elements 20000"
passed g3 again 60
run_in g3 detached "./throttle --seconds 60"
until_true 60 "its program uses the accelerator" running 1 throttle
pegasusctl detach g3 || fail "detach"
until_true 30 "its program ends" has_ended g3 detached
output_of g3 detached | grep -q "this domain's accelerator was detached" || fail "its program is not told that"
xl destroy g3
rm -r /etc/pegasus/guests.d

stage "programs verify under policies that use credits, weights and the schedule"
xl sched-credit -d g1 -w 1024
for g in 1 2; do run_in g$g first "./black_scholes --options 4096 --seconds 6"; done
until_true 60 "two programs use the accelerator" running 2 black_scholes
for policy in xc cosched augc accc; do
  pegasusctl policy $policy >/dev/null || fail "policy $policy"
  sleep 2
done
for g in 1 2; do passed g$g first 120; done

stage "a vCPU's credit is what it left of a pCPU, for policies that go by it"
credit_left() {
  pegasusctl --json domains | sed -n "/\"name\": \"$1\"/,/\"weight\"/s/.*\"credit_left_ns\": \([0-9]*\).*/\1/p"
}
credit_of() { [ "$(credit_left "$1")" "$2" "$3" ]; }
run_in g1 spin "timeout 20 sh -c 'while :; do :; done'"
until_true 20 "g1, which computes, has used a third of its credit at least" credit_of g1 -lt 20000000
until_true 20 "g2, which does not, has used little" credit_of g2 -gt 25000000
until_true 60 "g1 ends" has_ended g1 spin

stage "the schedule is Xen's own, whoever reads the trace buffers"
source_is() { pegasusctl --json accelerators | grep -q "$1"; }
for g in 1 2; do run_again g$g traced "./throttle --microseconds 1000 --seconds 4"; done
until_true 60 "two programs use the accelerator" running 2 throttle
source_is "Xen's trace buffers (.* us a look)" || fail "the trace buffers are not read"
xentrace -D -e 0x21000 -T 5 /run/trace 2>/run/xentrace.log &
until_true 10 "an operator's xentrace goes before" source_is "hypercalls: somebody else reads Xen's trace buffers"
wait $! || { cat /run/xentrace.log; fail "xentrace"; }
[ -s /run/trace ] || fail "xentrace read nothing"
until_true 10 "the trace buffers are taken again" source_is "Xen's trace buffers (.* us a look)"
state_probe "$(id_of g1)" >/run/states || fail "state_probe"
sed 's/^/STATES /' /run/states
until_true 10 "... and again" source_is "Xen's trace buffers (.* us a look)"
for g in 1 2; do enough g$g traced; done
for g in 1 2; do passed g$g traced 60; done

stage "guests are destroyed under load"
for g in 1 2; do run_in g$g load "./throttle --seconds 60"; done
until_true 60 "two programs use the accelerator" running 2 throttle
for g in 1 2; do
  began=$(cut -d. -f1 /proc/uptime)
  xl destroy g$g || fail "xl destroy"
  took=$(($(cut -d. -f1 /proc/uptime) - began))
  [ $took -le 8 ] || fail "xl destroy took $took s" # a second or so on an idle machine
done
nothing_is_left
