#include "sim/kubelet/news.h"

#include <fmt/format.h>

#include "sim/engine/record.h"

namespace tamp::world {
namespace {

using api::Object;
using wire::Tree;

const Tree* container_spec(const Object& pod, std::string_view list, std::size_t index) {
  const auto& specs = pod.spec()[list].elements();
  return index < specs.size() ? &specs[index] : nullptr;
}
std::string_view image_of(const Object& pod, std::string_view list, std::size_t index) {
  const Tree* spec = container_spec(pod, list, index);
  return spec == nullptr ? std::string_view() : (*spec)["image"].string();
}

// As Go prints a duration in whole milliseconds: "840ms", "2.5s", "1m3.25s".
std::string go_text(Duration span) {
  const std::int64_t millis = span.ns / 1'000'000;
  if (millis == 0) return "0s";
  if (millis < 1000) return fmt::format("{}ms", millis);
  const std::int64_t minutes = millis / 60'000, rest = millis % 60'000;
  std::string seconds = fmt::format("{}.{:03}", rest / 1000, rest % 1000);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  return (minutes > 0 ? fmt::format("{}m", minutes) : std::string()) + seconds + "s";
}

// Images have no size here; this is what a link of 40 MB/s brings in the time.
std::int64_t bytes_pulled_in(Duration span) { return span.ns / 1'000'000 * 40'000; }

}  // namespace

void News::tell(const Object& about, std::string_view type, std::string_view reason, std::string message) {
  record(stage_, {"kubelet", "kubelet", node_}, about, {}, type, reason, std::move(message));
}

void News::tell(const Object& pod, std::string_view list, std::size_t index, std::string_view type,
                std::string_view reason, std::string message) {
  const Tree* spec = container_spec(pod, list, index);
  if (spec == nullptr) return;
  record(stage_, {"kubelet", "kubelet", node_}, pod,
         fmt::format("spec.{}{{{}}}", list, (*spec)["name"].string()), type, reason, std::move(message));
}

void News::pulling(const Object& pod, std::string_view list, std::size_t index) {
  tell(pod, list, index, "Normal", "Pulling",
       fmt::format("Pulling image \"{}\"", image_of(pod, list, index)));
}

void News::started(const Object& pod, std::string_view list, std::size_t index, const ContainerRun& run) {
  const std::string_view image = image_of(pod, list, index);
  if (run.pull && run.restarts == 0) {
    if (!run.pulling_told) pulling(pod, list, index);
    tell(pod, list, index, "Normal", "Pulled",
         fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting). Image size: {} bytes.",
                     image, go_text(*run.pull), go_text(*run.pull), bytes_pulled_in(*run.pull)));
  } else {
    tell(pod, list, index, "Normal", "Pulled",
         fmt::format("Container image \"{}\" already present on machine and can be accessed by the pod",
                     image));
  }
  tell(pod, list, index, "Normal", "Created", "Container created");
  tell(pod, list, index, "Normal", "Started", "Container started");
}

void News::pull_failed(const Object& pod, std::size_t index) {
  const std::string_view image = image_of(pod, "containers", index);
  pulling(pod, "containers", index);
  tell(pod, "containers", index, "Warning", "Failed",
       fmt::format("Failed to pull image \"{}\": failed to pull image \"{}\": not found", image, image));
  tell(pod, "containers", index, "Warning", "Failed", "Error: ErrImagePull");
}

void News::pull_backed_off(const Object& pod, std::size_t index) {
  tell(pod, "containers", index, "Normal", "BackOff",
       fmt::format("Back-off pulling image \"{}\"", image_of(pod, "containers", index)));
  tell(pod, "containers", index, "Warning", "Failed", "Error: ImagePullBackOff");
}

void News::stopping(const Object& pod, const PodRun& run) {
  const auto each = [&](std::string_view list, const std::vector<ContainerRun>& containers) {
    for (std::size_t i = 0; i < containers.size(); ++i)
      if (const Tree* spec = container_spec(pod, list, i);
          spec != nullptr && containers[i].state == ContainerRun::State::Running)
        tell(pod, list, i, "Normal", "Killing",
             fmt::format("Stopping container {}", (*spec)["name"].string()));
  };
  each("initContainers", run.init);
  each("containers", run.containers);
}

std::string probe_failure(const Tree& probe, std::string_view pod_ip) {
  if (probe.has("httpGet")) return "Readiness probe failed: HTTP probe failed with statuscode: 503";
  if (probe.has("grpc")) return "Readiness probe failed: service unhealthy (responded with \"NOT_SERVING\")";
  if (probe.has("tcpSocket"))
    return fmt::format("Readiness probe failed: dial tcp {}:{}: connect: connection refused", pod_ip,
                       probe["tcpSocket"]["port"].integer());
  return "Readiness probe failed: ";  // what the command printed: nothing
}

}  // namespace tamp::world
