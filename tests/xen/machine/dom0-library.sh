# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What scenarios say to Dom0. Sourced by dom0-init.

fail() {
  echo "FAIL: $*"
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

# start_daemon [OPTIONS...]
start_daemon() {
  mkdir -p /run/pegasus
  pegasusd "$@" >>/var/log/pegasusd.log 2>&1 &
  daemon=$!
  until_true 20 "pegasusd is ready" pegasusctl version >/dev/null 2>&1
}

# guest NAME VACCEL [LINES-OF-CONFIGURATION]: creates it.
guest() {
  cat >/run/$1.cfg <<C
name = "$1"
kernel = "/boot/vmlinuz"
ramdisk = "/boot/guest.cpio.gz"
memory = 128
vcpus = 1
extra = "console=hvc0 quiet"
vaccel = [ "$2" ]
$3
C
  xl create -q /run/$1.cfg || fail "xl create $1"
}

id_of() { xl domid "$1"; }
guest_is_up() { [ "$(xenstore-read /local/domain/"$(id_of "$1")"/data/up 2>/dev/null)" = 1 ]; }
await_guest() { until_true 120 "$1 is up" guest_is_up "$1"; }

# run_in GUEST ID COMMAND: starts it there.
run_in() {
  where=/local/domain/$(id_of "$1")/data/run
  until_true 20 "$1 takes its command" sh -c "! xenstore-exists $where 2>/dev/null"
  xenstore-write "$where" "$2 $3"
}
status_of() { xenstore-read /local/domain/"$(id_of "$1")"/data/ended/"$2" 2>/dev/null; }
has_ended() { [ -n "$(status_of "$1" "$2")" ]; }
output_of() { sed -n "s/\r//; s/^$2| //p" /var/log/xen/console/guest-"$1".log; }

# passed GUEST ID SECONDS: it ended well and verified its results.
passed() {
  until_true "$3" "$1's $2 ends" has_ended "$1" "$2"
  [ "$(status_of "$1" "$2")" = 0 ] || {
    output_of "$1" "$2"
    fail "$1's $2 ended with status $(status_of "$1" "$2")"
  }
  output_of "$1" "$2" | grep -qx PASS || fail "$1's $2 did not say PASS"
}
