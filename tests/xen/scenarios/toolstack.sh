# SPDX-License-Identifier: Apache-2.0
# What xl does with the option and the commands of xen-patches/0002, and which domains may look at the pages of 0001. Assertions on.
credits_are() { pegasusctl domains | awk -v name="$1" -v credits="$2" '$1 == name {found = $2 == credits} END {exit !found}'; }
# host_memory_is MEGABYTES: in the guest's node, and for pegasusd.
host_memory_is() {
  [ "$(xenstore-read "/local/domain/0/backend/vaccel/$(id_of g1)/0/host-memory-kb")" = $(($1 * 1024)) ] &&
    pegasusctl --json domains | grep -q "\"host_memory_limit_bytes\": $(($1 * 1048576))\(,\|$\)"
}
domains() { xl list | awk 'NR > 2' | wc -l; }

start_daemon --policy accc

stage "values that mean nothing are refused, with the valid ones named, and no guest is made"
cat >/run/plain.cfg <<C
name = "g1"
kernel = "/boot/vmlinux"
ramdisk = "/boot/guest.cpio.gz"
memory = 128
extra = "console=hvc0 quiet"
C
# refused LINE WORDS: xl create says the words.
refused() {
  { cat /run/plain.cfg && echo "vaccel = $1"; } >/run/bad.cfg
  xl create -q /run/bad.cfg >/run/xl.log 2>&1 && fail "$1 is accepted"
  grep -qF -- "$2" /run/xl.log || {
    cat /run/xl.log
    fail "$1 is refused without '$2'"
  }
  [ "$(domains)" = 0 ] || fail "$1 leaves a guest"
}
refused '[ "credits=70000" ]' "a number from 1 to 65535"
refused '[ "credits=0" ]' "a number from 1 to 65535"
refused '[ "credits=-5" ]' "a number from 1 to 65535"
refused '[ "credits=4294967297" ]' "a number from 1 to 65535"
refused '[ "memory=0" ]' "from 1K to 1024T"
refused '[ "memory=99999T" ]' "from 1K to 1024T"
refused '[ "memory=1025T" ]' "from 1K to 1024T"
refused '[ "memory=99999999999999999999" ]' "from 1K to 1024T"
refused '[ "memory=1.5G" ]' "from 1K to 1024T"
for size in 0 1025T 99999999999999999999 1.5G ""; do
  refused "[ \"host-memory=$size\" ]" "host-memory=$size is not valid: a number of megabytes, or with suffix K, M, G or T, from 1K to 1024T"
done
refused '[ "host-memory=64M,host-memory=65M" ]' "host-memory= is given twice"
refused '[ "slo=1.5" ]' "a fraction from 0.001 to 1"
refused '[ "slo=nan" ]' "a fraction from 0.001 to 1"
refused '[ "slo=0.0004" ]' "a fraction from 0.001 to 1"
refused '[ "cap=1.5" ]' "cap=1.5 is not valid"
refused '[ "latency=50us" ]' "from 100us to 1s"
refused '[ "latency=2" ]' "from 100us to 1s"
refused '[ "latency=2s" ]' "from 100us to 1s"
refused '[ "backend=nosuch" ]' "there is no backend domain 'nosuch'"
refused '[ "backend=77" ]' "there is no backend domain '77'"
refused '[ "credit=512" ]' "'credit' is not one of backend=, credits=, memory=, host-memory=, slo=, cap=, latency="
refused '[ "credits" ]' "'credits' is not one of"
refused '[ "credits=1,memory=64M,credits=2" ]' "credits= is given twice"
refused '"credits=512"' "a list is wanted"
refused '[ [ "credits=512" ] ]' "a string is wanted in the list"
refused '[ "credits=1", "credits=2" ]' "a guest has one at most, 2 are given"

stage "an accelerator is attached to a guest that runs, listed and detached"
xl create -q /run/plain.cfg || fail "xl create"
await_guest g1
[ "$(xl vaccel-list g1 | wc -l)" = 1 ] || fail "xl lists what is not there"
xl vaccel-attach g1 credits=70000 2>/run/xl.log && fail "xl attaches 70000 credits"
grep -qF "a number from 1 to 65535" /run/xl.log || fail "xl vaccel-attach does not say which credits are valid"
xl vaccel-attach g1 host-memory=1025T 2>/run/xl.log && fail "xl attaches more memory than there can be"
grep -qF "from 1K to 1024T" /run/xl.log || fail "xl vaccel-attach does not say which host memory is valid"
xl vaccel-attach g1 backend=nosuch 2>/run/xl.log && fail "xl attaches to no backend"
grep -qF "there is no backend domain 'nosuch'" /run/xl.log || fail "xl vaccel-attach does not say that there is no backend"
xl vaccel-attach g1 "credits = 512, memory=64M" slo=0.25 cap=0.8 latency=2ms host-memory=96M || fail "xl vaccel-attach" # blanks do no harm
until_true 20 "the credits arrive" credits_are g1 512
until_true 20 "the bound of host memory arrives" host_memory_is 96
xl vaccel-attach g1 2>/run/xl.log && fail "a second one is attached"
grep -qF "the guest has one already" /run/xl.log || fail "xl does not say why a second one is refused"
pegasusctl attach g1 2>/dev/null && fail "pegasusctl attaches a second one"
listed() { xl vaccel-list g1 | awk 'NR == 2 {print $1, $2, $3, $4, $5, $6, $7, $8, $9}'; }
[ "$(listed)" = "0 0 4 512 65536 98304 0.25 0.8 2000" ] || fail "xl vaccel-list says: $(listed)"
xenstore-write "/local/domain/0/backend/vaccel/$(id_of g1)/0/credits" 300
[ "$(listed)" = "0 0 4 300 65536 98304 0.25 0.8 2000" ] || fail "xl vaccel-list does not follow: $(listed)"
run_in g1 first "./vector_add"
passed g1 first 60
xl list -l g1 | grep -q '"host_memory_kb": 98304' || fail "xl list -l does not show the bound of host memory"
xl list -l g1 | grep -q '"credits": 512' || fail "xl list -l does not show it"

stage "it stays when the guest reboots"
before=$(id_of g1)
is_back() { id=$(id_of g1 2>/dev/null) && [ "$id" != "$before" ] && guest_is_up g1; }
xl reboot g1 || fail "xl reboot"
until_true 300 "g1 is back" is_back
until_true 20 "its credits are as they were given" credits_are g1 512
until_true 20 "its bound of host memory is as it was given" host_memory_is 96
run_in g1 second "./vector_add"
passed g1 second 60

stage "and goes when it is detached"
xl vaccel-detach g1 7 2>/run/xl.log && fail "a device that is not there is detached"
run_in g1 detached "./throttle --seconds 60"
until_true 60 "its program uses the accelerator" running 1 throttle
xl vaccel-detach g1 0 || fail "xl vaccel-detach"
until_true 30 "its program ends" has_ended g1 detached
output_of g1 detached | grep -q "this domain's accelerator was detached" || fail "its program is not told that"
[ "$(xl vaccel-list g1 | wc -l)" = 1 ] || fail "xl still lists it"
gone() { ! xenstore-exists "/local/domain/$(id_of g1)/device/vaccel/0" && ! pegasusctl domains | grep -q '^g1 '; }
until_true 20 "pegasusd has let go of it" gone
xl list -l g1 | grep -q '"credits"' && fail "xl list -l still shows it"
run_in g1 third "./vector_add"
until_true 60 "its program ends" has_ended g1 third
[ "$(status_of g1 third)" != 0 ] || fail "its program runs without an accelerator"
output_of g1 third | grep -q "this guest of Xen has no accelerator: add vaccel" || fail "its program is not told what to do"
xl vaccel-attach g1 memory=64M || fail "it is not attached again"
until_true 20 "the default's credits arrive" credits_are g1 256
run_in g1 fourth "./vector_add"
passed g1 fourth 60

stage "a PV guest cannot map the page with its schedule, though it knows where it is"
state_frames "$(id_of g1)" >/run/frames || fail "state_frames"
read -r grants state </run/frames
run_in g1 own "./map_frame $grants mapped" # which it owns: so the trick works
passed g1 own 30
run_in g1 state "./map_frame $state refused"
passed g1 state 30
state_frames "$(id_of g1)" write || fail "Dom0 gets a writable mapping"

stage "its vCPU can be boosted"
[ "$(boost_probe "$(id_of g1)" once)" = given ] || fail "credit knows no boost"
[ "$(boost_probe 32000 once)" = gone ] || fail "a vCPU that is not there is boosted"

stage "a process that has it mapped does not keep the domain"
state_frames "$(id_of g1)" /run/look >/run/holder &
holder=$!
until_true 20 "it is mapped" grep -q mapped /run/holder
xl destroy g1 || fail "xl destroy"
until_true 20 "the domain is gone" guests_are
touch /run/look
wait $holder || fail "the page of a domain that is gone"
nothing_is_left
