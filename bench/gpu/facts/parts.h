// SPDX-License-Identifier: Apache-2.0
// The parts of gpu_facts. Each runs in a process of its own, which has not used the driver before. A part
// throws std::exception if it cannot go on.
#pragma once

namespace pegasus::facts {

void context();  // what cuInit, contexts and modules take
void launches(); // launches, alone and with what an accounting worker puts between them
void timing();   // what events measure beyond a kernel's own time
void copies();   // bandwidth by kind of host memory
void memory();   // allocation, scrubbing, what the previous owner left
void kill();     // the end of a process whose kernel does not end

// The shares of the process's own channel groups.
void time_slices();
// Its channels disabled and enabled, in one call, while a kernel, a graph, or a kernel of machine code runs.
void suspend_kernel();
void suspend_graph();
void suspend_machine_code();
// Other ways, while a kernel runs.
void suspend_scheduling();           // only the scheduling of the channels disabled
void suspend_scheduling_preempted(); // and the groups preempted
void suspend_groups();               // the groups taken off the run list, and preempted
void suspend_groups_alone();         // not preempted
void suspend_groups_listed();        // disabled, but left on the run list
void suspend_groups_restarted();     // and their run lists restarted
void suspend_each_channel();         // each channel taken off the run list
void suspend_by_time_slice();        // no time slice, or the shortest
void suspend_by_debugger();          // the contexts, as a debugger does

} // namespace pegasus::facts
