#include "explain/fits_report.h"
#include "documents/fits_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/sample_testing.h"

namespace tamp::explain {
namespace {

using testing::HasSubstr;

fit::PodFit fit_of(PodId pod) {
  return {pod,
          {{NodeId{std::size_t{0}}, ""},
           {NodeId{std::size_t{1}}, "TaintToleration"},
           {NodeId{std::size_t{2}}, "NodePorts"}}};
}

TEST(FitsReport, TheDocumentIsTheContract) {
  const Sample s;
  EXPECT_EQ(
      documents::fits_json(s.cluster, {fit_of(s.pod("web-1"))}),
      R"({"pods":[{"namespace":"default","name":"web-1","nodes":[{"name":"a","fits":true,"reason":""},)"
      R"({"name":"b","fits":false,"reason":"TaintToleration"},{"name":"c","fits":false,"reason":"NodePorts"}]}]})"
      "\n");
}

TEST(FitsReport, OnePodGetsALineForEachNode) {
  const Sample s;
  const std::string page = fits_page(s.cluster, {fit_of(s.pod("web-1"))}, {});
  EXPECT_THAT(page, HasSubstr("default/web-1  runs on a, judged as if it had just been evicted"));
  EXPECT_THAT(page, HasSubstr("could run on 1 of 3 nodes"));
  EXPECT_THAT(page, HasSubstr("✗  b     big   z1    TaintToleration  taint not tolerated"));
}

TEST(FitsReport, ManyPodsGetALineEach) {
  const Sample s;
  const fit::PodFit fit = fit_of(s.pod("web-1"));
  const std::string page = fits_page(s.cluster, {fit, fit, fit, fit}, {});
  EXPECT_THAT(page, HasSubstr("default/web-1  a         1/3  1 host port taken, 1 taint not tolerated"));
}

TEST(FitsReport, NoPodsIsSaid) {
  const Sample s;
  EXPECT_EQ(fits_page(s.cluster, {}, {}), "no pods that could be scheduled\n");
  EXPECT_EQ(documents::fits_json(s.cluster, {}), "{\"pods\":[]}\n");
}

}  // namespace
}  // namespace tamp::explain
