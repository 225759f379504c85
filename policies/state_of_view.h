// SPDX-License-Identifier: Apache-2.0
// The fields of what policies read and answer (state_visitor.h), for who keeps it.
#pragma once

#include "policies/decision.h"
#include "policies/state_visitor.h"
#include "policies/tunables.h"
#include "policies/view.h"

namespace pegasus::policies {

void visit(CpuState& cpu, StateVisitor& state);
void visit(DomainView& domain, StateVisitor& state);
void visit(PieceLimit& pieces, StateVisitor& state);
void visit(Decision& decision, StateVisitor& state);
void visit(Tunables& tunables, StateVisitor& state); // each must be in its range (tunables.h)

} // namespace pegasus::policies
