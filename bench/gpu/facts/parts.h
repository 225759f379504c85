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

// The process's own channel groups: shown, suspended and resumed while a kernel, a graph, or a kernel of
// machine code runs.
void time_slices();
void suspend_kernel();
void suspend_graph();
void suspend_machine_code();

} // namespace pegasus::facts
