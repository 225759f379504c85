# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What scenarios say to Dom0. Sourced by dom0-init.

fail() {
  echo "FAIL: $*"
  xl list
  xenstore-ls /local/domain/0/backend/vaccel
  tail -n 20 /var/log/pegasusd.log | sed 's/^/pegasusd.log: /'
  exit 1
}

# until_true SECONDS WHAT COMMAND...
until_true() {
  seconds=$1 what=$2
  shift 2
  end=$(($(cut -d. -f1 /proc/uptime) + seconds))
  until "$@"; do
    [ "$(cut -d. -f1 /proc/uptime)" -lt "$end" ] || fail "not within $seconds s: $what"
    sleep 0.2
  done
}

stage() { echo "STAGE after $(cut -d. -f1 /proc/uptime) s: $*"; }

channels() { lsevtchn | wc -l; } # Dom0's event channels
descriptors() { find /proc/"$daemon"/fd -mindepth 1 | wc -l; }

# workers_of GUEST <JSON: the processes of its tasks.
workers_of() {
  awk -v name="\"$1\"," '/"name":/ {ours = $2 == name} ours && /"worker_pid": [1-9]/ {gsub(/[^0-9]/, ""); print}'
}

# mapped_by PROCESS...: how many granted pages they have mapped together.
mapped_by() {
  mapped=0
  for process in "$@"; do
    for range in $(sed -n '/gntdev/s/ .*//p' /proc/"$process"/maps 2>/dev/null); do
      mapped=$((mapped + (0x${range#*-} - 0x${range%-*}) / 4096))
    done
  done
  echo $mapped
}

# Of Dom0's table of mapped grants, in frames of 256: "MOST-EVER-USED ALL". While few pages are mapped: Xen names each.
maptrack_frames() {
  xl dmesg -c >/dev/null
  xl debug-keys g
  xl dmesg | sed -n '/grant-table for remote d0 /{n;s/.* \([0-9]*\) maptrack frames (\([0-9]*\) max).*/\1 \2/p}'
}

# start_daemon [OPTIONS...]: the first time, before there are guests.
start_daemon() {
  channels_before=${channels_before:-$(channels)}
  mkdir -p /run/pegasus
  pegasusd "$@" >>/var/log/pegasusd.log 2>&1 &
  daemon=$!
  until_true 20 "pegasusd is ready" pegasusctl version >/dev/null 2>&1
  descriptors_before=$(descriptors)
}

# switch_policy NAME[:SETTING,...], as pegasusd's --policy.
switch_policy() {
  # shellcheck disable=SC2046 # words
  pegasusctl policy $(echo "$1" | tr :, '  ') >/dev/null || fail "there is no policy $1"
}

# guests_are NAME...: no other domain is known to Xen, not even a dying one, none has nodes left, and pegasusd
# knows no other.
guests_are() {
  names=$(for name in "$@"; do echo "$name"; done | sort)
  ids=$(for name in $names; do id_of "$name"; done | sort)
  [ "$(xl list | awk 'NR > 2 {print $2}' | sort)" = "$ids" ] &&
    [ "$(xenstore-list /local/domain/0/backend/vaccel 2>/dev/null | sort)" = "$ids" ] &&
    [ "$(pegasusctl domains | awk 'NR > 1 && $1 != "policy" {print $1}' | sort)" = "$names" ]
}

# No guest is left, and pegasusd and Dom0 hold nothing for those that were.
holds_nothing() {
  guests_are && [ "$(pidof pegasus-avcpu)" = "" ] && [ "$(grep -c gntdev /proc/"$daemon"/maps)" = 0 ] &&
    [ "$(descriptors)" -le "$descriptors_before" ] && [ "$(channels)" = "$channels_before" ] &&
    pegasusctl --json accelerators | grep -q '"memory_used_bytes": 0'
}
nothing_is_left() {
  stage "nothing is left"
  until_true 20 "nothing is left" holds_nothing
  stage "done"
}

# guests_pool [CPUS]: a cpupool for the guests, as docs/operators/xen.md makes it, of pCPU 1, or of those named ("1,2").
guests_pool() {
  for cpu in $(echo "${1:-1}" | tr , ' '); do xl cpupool-cpu-remove Pool-0 "$cpu" || fail "cpupool-cpu-remove"; done
  xl cpupool-create 'name="guests"' 'sched="credit"' "cpus=\"${1:-1}\"" >/dev/null || fail "cpupool-create"
}

is_stock() { grep -q pegasus.stock /proc/cmdline; } # hypervisor and toolstack

# guest NAME VACCEL [LINES-OF-CONFIGURATION]: creates it. A stock toolstack passes over what it does not know.
guest() {
  cat >/run/$1.cfg <<C
name = "$1"
kernel = "/boot/vmlinux"
ramdisk = "/boot/guest.cpio.gz"
memory = 128
vcpus = 1
extra = "console=hvc0 quiet"
vaccel = [ "$2" ]
$3
C
  xl create -q /run/$1.cfg || fail "xl create $1"
}
# guest_with_device: the same; whatever the toolstack, it has its accelerator.
guest_with_device() {
  guest "$@"
  ! is_stock || pegasusctl attach "$1" "/run/$1.cfg" || fail "attach $1"
}

id_of() { xl domid "$1"; }
guest_is_up() { [ "$(xenstore-read /local/domain/"$(id_of "$1")"/data/up 2>/dev/null)" = 1 ]; }
await_guest() { until_true 300 "$1 is up" guest_is_up "$1"; }

# run_in GUEST ID COMMAND: starts it there.
run_in() {
  where=/local/domain/$(id_of "$1")/data/run
  until_true 20 "$1 takes its command" sh -c "! xenstore-exists $where 2>/dev/null"
  xenstore-write "$where" "$2 $3"
}
# run_again GUEST ID COMMAND: starts it there, and again whenever it has ended well, until `enough GUEST ID`.
run_again() { run_in "$1" "$2" "until [ -e $2.enough ]; do $3 || exit; done; echo PASS"; }
enough() { run_in "$1" "$2.enough" "touch $2.enough"; }
status_of() { xenstore-read /local/domain/"$(id_of "$1")"/data/ended/"$2" 2>/dev/null; }
has_ended() { [ -n "$(status_of "$1" "$2")" ]; }
output_of() { sed -n "s/\r//; s/^$2| //p" /var/log/xen/console/guest-"$1".log; }

# running NUMBER PROGRAM: so many of it are connected to pegasusd.
running() { [ "$(pegasusctl --json domains | grep -c "\"program\": \"$2\"")" = "$1" ]; }

# passed GUEST ID SECONDS: it ended well and verified its results.
passed() {
  until_true "$3" "$1's $2 ends" has_ended "$1" "$2"
  [ "$(status_of "$1" "$2")" = 0 ] || {
    output_of "$1" "$2"
    fail "$1's $2 ended with status $(status_of "$1" "$2")"
  }
  output_of "$1" "$2" | grep -qx PASS || fail "$1's $2 did not say PASS"
}
