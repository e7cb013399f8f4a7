#include "world/controllers/record.h"

#include <fmt/format.h>

namespace tamp::world {

void record(Stage& stage, std::string_view component, const api::Object& about, std::string_view type,
            std::string_view reason, std::string message) {
  using api::Tree;
  const std::string_view ns = about.ns().empty() ? std::string_view("default") : about.ns();
  // Events are named after their object and the nanosecond; two of one moment need something more.
  const std::string name = fmt::format("{}.{:016x}", about.name(),
                                       static_cast<std::uint64_t>(stage.now.ns) ^ stage.dice.below(1u << 20));
  const std::string when = api::format_time(stage.now);
  stage.api.create(api::ResourceId::Events, ns,
                   Tree::object({{"apiVersion", "v1"},
                                 {"kind", "Event"},
                                 {"metadata", Tree::object({{"name", name}, {"namespace", ns}})},
                                 {"involvedObject",
                                  Tree::object({{"apiVersion", about.tree()["apiVersion"]},
                                                {"kind", about.tree()["kind"]},
                                                {"name", about.name()},
                                                {"namespace", about.ns()},
                                                {"uid", about.uid()},
                                                {"resourceVersion", about.metadata()["resourceVersion"]}})},
                                 {"reason", reason},
                                 {"message", std::move(message)},
                                 {"source", Tree::object({{"component", component}})},
                                 {"reportingComponent", component},
                                 {"reportingInstance", ""},
                                 {"firstTimestamp", when},
                                 {"lastTimestamp", when},
                                 {"eventTime", nullptr},
                                 {"count", 1},
                                 {"type", type}}),
                   as_controller_manager());
}

}  // namespace tamp::world
