// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/view_builder.h"

#include <algorithm>

namespace pegasus::scheduler {

void ViewBuilder::add(DomainId domain, DomainSettings const& settings, monitor::UsageMeter const& meter,
                      Standing const& standing) {
  policies::DomainView view;
  view.id = domain;
  view.credits = settings.credits;
  view.cpu_weight = settings.cpu_weight;
  view.slo = settings.slo;
  meter.fill(view);
  view.debt = standing.debt;
  if (standing.barred) view.calls_waiting = 0;
  if (view.tasks > 0 || standing.in_debt) views_.push_back(view);
}

policies::View ViewBuilder::view(bool reads_schedule, Time run_since, Time now) {
  Nanos age{0};
  if (reads_schedule && cpu_schedule_ != nullptr)
    for (policies::DomainView& domain : views_)
      age = std::max(age, cpu_schedule_->fill(domain, now));
  return {.now = now,
          .run_since = run_since,
          .schedule_age = age,
          .domains = views_,
          .changed = changes_.take(views_)};
}

} // namespace pegasus::scheduler
