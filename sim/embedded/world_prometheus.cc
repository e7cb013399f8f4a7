#include "sim/embedded/world_prometheus.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tamp::embed {
namespace {

constexpr std::string_view kKnown = "/api/v1/query?query=p99_seconds";
constexpr Duration kTakes = Duration::nanoseconds(5'000'000);
// A pod that has gone says nothing any more.
constexpr Duration kOld = Duration::minutes(2);

}  // namespace

net::Response WorldPrometheus::answer(const std::string& target) const {
  if (target != kKnown)
    return {400, R"({"status":"error","errorType":"bad_data","error":"only p99_seconds is known here"})", {}};
  std::int64_t highest = -1;  // microseconds
  for (const auto& [pod, minutes] : world_.cast().pressure.latencies())
    if (!minutes.empty() && world_.now() - minutes.back().minute < kOld)
      highest = std::max(highest, minutes.back().highest_us);
  const std::string result =
      highest < 0 ? "" : fmt::format(R"({{"value":[0,"{}"]}})", static_cast<double>(highest) / 1e6);
  return {200, R"({"status":"success","data":{"resultType":"vector","result":[)" + result + "]}}", {}};
}

net::Pending WorldPrometheus::send(net::Request request, std::function<void(net::Exchange)> done) {
  return loop_.after(kTakes, [this, target = std::move(request.target), done = std::move(done)] {
    done({answer(target), {}});
  });
}

net::Pending WorldPrometheus::stream(net::Request /*request*/, net::StreamSink /*sink*/) { return {}; }

}  // namespace tamp::embed
