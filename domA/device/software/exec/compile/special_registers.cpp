// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/special_registers.h"

#include <utility>

namespace pegasus::software {
namespace {

// PTX ISA 10. %envreg1 and 2 hold the address of a cooperative launch's workspace.
constexpr std::pair<std::string_view, SpecialRegister> special_names[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%clock", SpecialRegister::clock},
    {"%clock_hi", SpecialRegister::clock_hi},
    {"%clock64", SpecialRegister::clock64},
    {"%globaltimer", SpecialRegister::globaltimer},
    {"%globaltimer_lo", SpecialRegister::globaltimer_lo},
    {"%globaltimer_hi", SpecialRegister::globaltimer_hi},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    {"%reserved_smem_offset_begin", SpecialRegister::reserved_smem_begin},
    {"%reserved_smem_offset_0", SpecialRegister::reserved_smem_begin},
    {"%reserved_smem_offset_1", SpecialRegister::reserved_smem_begin},
    {"%reserved_smem_offset_end", SpecialRegister::reserved_smem_end},
    {"%reserved_smem_offset_cap", SpecialRegister::reserved_smem_cap},
    {"%aggr_smem_size", SpecialRegister::total_smem_size},
    {"%envreg0", SpecialRegister::zero},
    {"%envreg1", SpecialRegister::grid_workspace_hi},
    {"%envreg2", SpecialRegister::grid_workspace_lo},
};

} // namespace

std::optional<SpecialRegister> special_register(std::string_view wanted) {
  for (auto const& [name, which] : special_names)
    if (name == wanted) return which;
  return std::nullopt;
}

} // namespace pegasus::software
