#include "fit/shape_table.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace tamp::fit {
namespace {

TEST(ShapeTable, TellsPodsApartBySpecNamespaceAndLabels) {
  ShapeTable table;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, ShapeId> expected;
  const auto pod = [](std::size_t spec, std::size_t ns, std::size_t labels) {
    Pod p;
    p.spec = PodSpecId(spec);
    p.ns = Symbol(ns);
    p.labels = LabelSetId(labels);
    return p;
  };
  for (std::size_t spec = 0; spec < 20; ++spec)
    for (std::size_t ns = 0; ns < 5; ++ns)
      for (std::size_t labels = 0; labels < 20; ++labels) {
        ShapeId& shape = table[pod(spec, ns, labels)];
        EXPECT_FALSE(shape.valid()) << "the first of its kind";
        shape = expected[{spec, ns, labels}] = ShapeId(expected.size());
      }
  for (const auto& [key, shape] : expected)
    EXPECT_EQ(table[pod(std::get<0>(key), std::get<1>(key), std::get<2>(key))], shape);
}

}  // namespace
}  // namespace tamp::fit
