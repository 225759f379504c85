# SPDX-License-Identifier: Apache-2.0
# Four guests run verified CUDA programs at the same time.
start_daemon --policy accc
for g in 1 2 3 4; do guest g$g "credits=$((256 * g)),memory=64M"; done
for g in 1 2 3 4; do await_guest g$g; done
pegasusctl domains
for g in 1 2 3 4; do run_in g$g bs "./black_scholes --seconds 4"; done
for g in 1 2 3 4; do passed g$g bs 120; done
pegasusctl domains
for g in 1 2 3 4; do xl destroy g$g; done
xl list
