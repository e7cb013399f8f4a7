// Given what Prometheus answers, expect one number, or words why there is none.
#include "wire/prometheus_answer.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

std::string vector_of(const std::string& elements) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + elements + "]}}";
}

void unknown(const std::string& json, const std::string& why) {
  const auto value = read_prometheus_answer(json);
  ASSERT_FALSE(value.ok()) << json;
  EXPECT_NE(value.error().message.find(why), std::string::npos) << value.error().message;
}

TEST(PrometheusAnswer, IsTheNumberOfAScalarOrOfTheOnlyElement) {
  EXPECT_EQ(
      *read_prometheus_answer(vector_of(R"({"metric":{"job":"cart"},"value":[1731672000.5,"0.0042"]})")),
      0.0042);
  EXPECT_EQ(
      *read_prometheus_answer(R"({"status":"success","data":{"resultType":"scalar","result":[1,"1e3"]}})"),
      1000);
}

TEST(PrometheusAnswer, OfSeveralOrNoneIsNotKnown) {
  unknown(vector_of(""), "0 elements");
  unknown(vector_of(R"({"metric":{},"value":[1,"1"]},{"metric":{},"value":[1,"2"]})"), "2 elements");
}

TEST(PrometheusAnswer, ThatIsNoNumberIsNotKnown) {
  unknown(vector_of(R"({"metric":{},"value":[1,"NaN"]})"), "NaN");
  unknown(vector_of(R"({"metric":{},"value":[1,"+Inf"]})"), "+Inf");
  unknown(vector_of(R"({"metric":{},"value":[1,""]})"), "no number");
  unknown(vector_of(R"({"metric":{},"value":[1]})"), "no sample");
  unknown(R"({"status":"success","data":{"resultType":"matrix","result":[]}})", "matrix");
}

TEST(PrometheusAnswer, ThatRefusesTheQueryIsNotKnown) {
  unknown(R"({"status":"error","errorType":"bad_data","error":"parse error"})", "parse error");
  unknown("<html>", "");
  unknown("[]", "refused");
}

}  // namespace
}  // namespace tamp::wire
