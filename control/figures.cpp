// SPDX-License-Identifier: Apache-2.0
#include "control/figures.h"

namespace pegasus::control {
namespace {

using U = Unit;
using K = FigureKind;
using D = DomainFigures;
using T = TaskFigures;
using A = AcceleratorFigures;

constexpr Figure<D> of_domains[] = {
    {1, "credits", U::count, K::setting, "entitles it to device time in proportion to other domains' credits",
     &D::credits},
    {2, "slo", U::fraction, K::setting, "the part of an accelerator's time that it is promised; 0: none",
     &D::slo},
    {3, "cap", U::fraction, K::setting, "the most of an accelerator's time that it may have; 0: no limit",
     &D::cap},
    {4, "latency_slice_ns", U::nanoseconds, K::setting, "the length of its time slices; 0: the policy's own",
     &D::latency_slice_ns},
    {5, "memory_limit_bytes", U::bytes, K::setting,
     "the most accelerator memory that it may use; without a limit of its own, what is free",
     &D::memory_limit_bytes},
    {6, "memory_limited", U::yes_or_no, K::setting, "an operator limited its accelerator memory",
     &D::memory_limited},
    {7, "memory_used_bytes", U::bytes, K::gauge, "accelerator memory that it uses", &D::memory_used_bytes},
    {8, "host_memory_bytes", U::bytes, K::gauge, "host memory that its workers use together; 0: not known",
     &D::host_memory_bytes},
    {9, "host_memory_limit_bytes", U::bytes, K::setting,
     "the most host memory that its workers may use together, besides the memory of an accelerator on the "
     "CPU; 0: no limit",
     &D::host_memory_limit_bytes},
    {10, "device_busy_ns", U::nanoseconds, K::counter, "device time that it used", &D::device_busy_ns},
    {11, "host_busy_ns", U::nanoseconds, K::counter,
     "CPU time of its workers for copies, images and output, which is charged as device time",
     &D::host_busy_ns},
    {45, "copied_bytes", U::bytes, K::counter,
     "data that its calls copied to the device or from it, program images too", &D::copied_bytes},
    {12, "estimated", U::yes_or_no, K::state,
     "its device time is an estimate: the policy shares a GPU, which serves contexts alternately",
     &D::estimated},
    {13, "target_share", U::fraction, K::gauge,
     "its credits over those of all domains with tasks on its accelerator", &D::target_share},
    {14, "received_share", U::fraction, K::gauge,
     "its device time over that of all domains on its accelerator", &D::received_share},
    {15, "calls", U::count, K::counter, "calls that its programs made", &D::calls},
    {16, "sync_calls", U::count, K::counter, "synchronous calls: the program waited for the result",
     &D::sync_calls},
    {17, "sync_calls_ns", U::nanoseconds, K::counter,
     "sum of the latencies of its synchronous calls, as programs see them, to an eighth", &D::sync_calls_ns},
    {18, "sync_calls_per_s", U::per_second, K::gauge, "synchronous calls per second of service, recently",
     &D::sync_calls_per_s},
    {19, "latency_us.p50", U::microseconds, K::gauge, "latency of its synchronous calls, median",
     &D::latency_p50_us},
    {20, "latency_us.p99", U::microseconds, K::gauge, "latency of its synchronous calls, 99th percentile",
     &D::latency_p99_us},
    {21, "kept", U::yes_or_no, K::state,
     "it stays without tasks: it is a guest of Xen, or an operator set something of it", &D::kept},
    {46, "frozen", U::yes_or_no, K::state, "its programs wait, because an operator froze it", &D::frozen},
    {22, "running", U::yes_or_no, K::state, "its gates are open", &D::running},
    {23, "service.wanted_ns", U::nanoseconds, K::counter, "time with a call, waiting or executing",
     &D::wanted_ns},
    {24, "service.waited_ns", U::nanoseconds, K::counter, "time with a call and with closed gates",
     &D::waited_ns},
    {25, "service.average_wait_ns", U::nanoseconds, K::gauge,
     "average length of its last waits for the device", &D::average_wait_ns},
    {26, "service.requests_waiting", U::count, K::gauge,
     "requests in the call buffers of its tasks that wait for their gate", &D::requests_waiting},
    {27, "service.utilization", U::fraction, K::gauge,
     "the part of the last second in which it had the device", &D::utilization},
    {28, "service.slo_periods", U::seconds, K::counter,
     "seconds in which it had an SLO and wanted the device throughout", &D::slo_periods},
    {29, "service.slo_violations", U::seconds, K::counter,
     "such seconds in which it received less than its SLO", &D::slo_violations},
    {30, "conduct.debt_ns", U::nanoseconds, K::gauge, "device time beyond its share, which it will forgo",
     &D::debt_ns},
    {31, "conduct.killed_tasks", U::count, K::counter,
     "its tasks that were killed because a call kept others waiting for longer than the limit",
     &D::killed_tasks},
    {32, "conduct.barred_ns", U::nanoseconds, K::gauge,
     "how long its calls will not be served, because it kept others waiting", &D::barred_ns},
    {33, "conduct.capped", U::yes_or_no, K::state, "it has had its cap: its calls wait", &D::capped},
    {34, "cpu.vcpu", U::count, K::state, "the vCPU from which its next call comes, as the guest reports it",
     &D::vcpu},
    {35, "cpu.running", U::yes_or_no, K::state, "the vCPU from which its next call comes is on a CPU",
     &D::vcpu_running},
    {36, "cpu.credit_left_ns", U::nanoseconds, K::gauge,
     "CPU credit that the vCPU from which its next call comes has left", &D::cpu_credit_left_ns},
    {37, "cpu.weight", U::count, K::state, "CPU weight of its vCPUs; 0: not known", &D::cpu_weight},
    {38, "cpu.samples_on_device", U::count, K::counter, "how often its work was seen on the device",
     &D::samples_on_device},
    {39, "cpu.samples_on_both", U::count, K::counter,
     "how often its work was seen on the device and the calling vCPU on a CPU", &D::samples_on_both},
    {40, "cpu.wake_ups.ran_already", U::count, K::counter,
     "vCPUs that the policy wanted on a CPU at the beginning of a time slice and that were there",
     &D::wake_ups_ran_already},
    {41, "cpu.wake_ups.waited", U::count, K::counter,
     "such vCPUs that waited for a CPU: the hypervisor was asked to run them first", &D::wake_ups_waited},
    {42, "cpu.wake_ups.woken", U::count, K::counter, "such vCPUs that were not running and came to run",
     &D::wake_ups_woken},
    {43, "cpu.wake_ups.p50_us", U::microseconds, K::gauge,
     "from the gate's opening to the vCPU's running, median", &D::wake_ups_p50_us},
    {44, "cpu.wake_ups.p99_us", U::microseconds, K::gauge,
     "from the gate's opening to the vCPU's running, 99th percentile", &D::wake_ups_p99_us},
};

constexpr Figure<T> of_tasks[] = {
    {1, "device_busy_ns", U::nanoseconds, K::counter, "device time that it used, since it connected",
     &T::device_busy_ns},
    {2, "calls", U::count, K::counter, "calls that it made, since it connected", &T::calls},
    {3, "memory_bytes", U::bytes, K::gauge, "accelerator memory that it holds", &T::memory_bytes},
    {4, "gate_open", U::yes_or_no, K::state, "its calls are executed", &T::gate_open},
};

constexpr Figure<A> of_accelerators[] = {
    {1, "memory_bytes", U::bytes, K::setting, "memory that all domains together may use", &A::memory_bytes},
    {2, "memory_used_bytes", U::bytes, K::gauge, "memory that they use", &A::memory_used_bytes},
    {3, "domains", U::count, K::gauge, "domains with tasks on it", &A::domains},
    {4, "tasks", U::count, K::gauge, "tasks on it", &A::tasks},
    {5, "pageable_tasks", U::count, K::gauge,
     "tasks whose call buffer could not be pinned for the device: their copies are slower",
     &A::pageable_tasks},
    {6, "utilization", U::fraction, K::gauge,
     "the part of the time since the last reset in which it was busy", &A::utilization},
    {7, "mmr", U::fraction, K::gauge,
     "min-max ratio of received over target share; 1: each domain with tasks got its share exactly", &A::mmr},
    {8, "switches", U::count, K::counter,
     "changes from one program to another, since pegasusd started; not known of a GPU", &A::switches},
    {9, "switching_ns", U::nanoseconds, K::counter, "what these changes took; not known of a GPU",
     &A::switching_ns},
    {10, "switch_cost_ns", U::nanoseconds, K::setting, "what the scheduler takes such a change to cost",
     &A::switch_cost_ns},
};

} // namespace

template <> std::span<Figure<DomainFigures> const> all_figures() { return of_domains; }
template <> std::span<Figure<TaskFigures> const> all_figures() { return of_tasks; }
template <> std::span<Figure<AcceleratorFigures> const> all_figures() { return of_accelerators; }

} // namespace pegasus::control
