// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/view_builder.h"

#include <algorithm>

namespace pegasus::scheduler {

policies::View ViewBuilder::build(std::map<DomainId, DomainSettings> const& domains,
                                  monitor::UsageMeter const& meter, bool reads_schedule, Time now) {
  views_.clear();
  Nanos age{0};
  for (auto const& [id, settings] : domains) {
    policies::DomainView view;
    view.id = id;
    view.credits = settings.credits;
    view.cpu_weight = settings.cpu_weight;
    view.slo = settings.slo;
    meter.fill(view);
    if (view.tasks == 0) continue;
    if (reads_schedule && cpu_schedule_ != nullptr) age = std::max(age, cpu_schedule_->fill(view, now));
    views_.push_back(view);
  }
  return {.now = now, .schedule_age = age, .domains = views_};
}

} // namespace pegasus::scheduler
