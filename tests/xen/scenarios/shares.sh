# SPDX-License-Identifier: Apache-2.0
# Shares of device time: accc and fair by credits, xc by Xen's weights, slaf and any policy by SLO. The guests share one pCPU,
# pegasusd and the workers another. One JSON document a measurement for test_xen.py.
guests_pool
start_daemon --policy accc --memory 256M
guest_with_device g1 "credits=1024,memory=32M" 'pool = "guests"'
guest_with_device g2 "credits=512,memory=32M" 'pool = "guests"'
guest_with_device g3 "credits=256,memory=32M" 'pool = "guests"'
guest_with_device g4 "credits=512,memory=32M" 'pool = "guests"'
for g in 1 2 3 4; do await_guest g$g; done

# Beside others a program may take its kernels for longer than they are: their length is found by one alone.
run_in g1 alone "./throttle --microseconds 4000 --seconds 0"
passed g1 alone 60
rounds=$(output_of g1 alone | sed -n 's/^throttle: \([0-9]*\) rounds a kernel.*/\1/p')
echo "kernels of $rounds rounds"

# measure NAME POLICY
measure() {
  pegasusctl policy "$2" >/dev/null
  for g in 1 2 3 4; do run_in g$g "$1" "./throttle --rounds $rounds --seconds 6 --sync-every 16"; done
  busy() { [ "$(pegasusctl --json domains | grep -c '"program": "throttle"')" = 4 ]; }
  until_true 60 "four programs use the accelerator" busy
  sleep 1
  pegasusctl --json domains >"/share/$1-begin.json"
  sleep 3
  pegasusctl --json domains >"/share/$1-end.json"
  for g in 1 2 3 4; do passed g$g "$1" 180; done
}

measure none none
measure accc accc
measure fair fair
xl sched-credit -d g1 -w 1024
xl sched-credit -d g2 -w 512
xl sched-credit -d g3 -w 256
xl sched-credit -d g4 -w 512
for g in 1 2 3 4; do xenstore-write "/local/domain/0/backend/vaccel/$(id_of g$g)/0/credits" 256; done
sleep 2
measure xc xc
measure equal accc
pegasusctl set g1 slo=0.5
measure slaf slaf
measure reserved eevdf
for g in 1 2 3 4; do xl destroy g$g; done
