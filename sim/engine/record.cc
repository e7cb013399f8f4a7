#include "sim/engine/record.h"

#include <fmt/format.h>

#include <initializer_list>

namespace tamp::world {
namespace {

// FNV-1a, 64 bit: events are named after their object and what is said, so that the same said again is the same event.
std::uint64_t hash(std::initializer_list<std::string_view> parts) {
  std::uint64_t sum = 14695981039346656037u;
  for (const std::string_view part : parts) {
    for (const char c : part) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
    sum = (sum ^ 0xffu) * 1099511628211u;
  }
  return sum;
}

}  // namespace

void record(Stage& stage, const Reporter& reporter, const api::Object& about, std::string_view part,
            std::string_view type, std::string_view reason, std::string message) {
  using api::Tree;
  const api::WriteOptions as_reporter = {.manager = std::string(reporter.manager)};
  const std::string_view ns = about.ns().empty() ? std::string_view("default") : about.ns();
  const std::string name =
      fmt::format("{}.{:016x}", about.name(), hash({about.uid(), reporter.component, part, reason, message}));
  const std::string when = api::format_time(stage.now);
  if (stage.api.get(api::ResourceId::Events, ns, name)) {
    stage.api.modify(
        api::ResourceId::Events, ns, name,
        [&](Tree& event) {
          event.set("count", event["count"].integer() + 1);
          event.set("lastTimestamp", when);
        },
        as_reporter);
    return;
  }
  Tree object = Tree::object({{"apiVersion", about.tree()["apiVersion"]},
                              {"kind", about.tree()["kind"]},
                              {"name", about.name()},
                              {"uid", about.uid()},
                              {"resourceVersion", about.metadata()["resourceVersion"]}});
  if (!about.ns().empty()) object.set("namespace", about.ns());
  if (!part.empty()) object.set("fieldPath", part);
  Tree source = Tree::object({{"component", reporter.component}});
  if (!reporter.host.empty()) source.set("host", reporter.host);
  stage.api.create(api::ResourceId::Events, ns,
                   Tree::object({{"apiVersion", "v1"},
                                 {"kind", "Event"},
                                 {"metadata", Tree::object({{"name", name}, {"namespace", ns}})},
                                 {"involvedObject", std::move(object)},
                                 {"reason", reason},
                                 {"message", std::move(message)},
                                 {"source", std::move(source)},
                                 {"reportingComponent", reporter.component},
                                 {"reportingInstance", reporter.host},
                                 {"firstTimestamp", when},
                                 {"lastTimestamp", when},
                                 {"eventTime", nullptr},
                                 {"count", 1},
                                 {"type", type}}),
                   as_reporter);
}

}  // namespace tamp::world
