// `tamp approve` against an API server that keeps the runs which are created: what is created, and what is
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/http_cluster_testing.h"
#include "cli/run_commands.h"
#include "documents/run_document.h"
#include "net/resource.h"
#include "wire/tree.h"

namespace tamp::cli {
namespace {

using testing::HasSubstr;

const std::string kHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

struct Approve : testing::Test {
  net::HttpResponse answer(const net::HttpRequest& request) {
    const std::string all = net::collection_path(net::kConsolidationRuns);
    if (request.path == net::object_path(net::kTemperPolicies, "", "default"))
      return HttpCluster::json(R"({"metadata":{"name":"default"},"spec":{"mode":"Act"},)"
                               R"("status":{"plan":{"hash":")" +
                               kHash + R"(","victims":["a"],"hourlySavings":0.5}}})");
    if (request.path.ends_with("/selfsubjectreviews"))
      return HttpCluster::json(R"({"status":{"userInfo":{"username":"mia"}}})", 201);
    if (request.method == "POST" && request.path == all) {
      const auto object = wire::read_tree(request.body);
      const std::string name(object->at({"metadata", "name"}).string());
      if (runs.contains(name)) return HttpCluster::refuse(409, "AlreadyExists");
      created.push_back(*object);
      runs[name] = request.body;
      return HttpCluster::json(request.body, 201);
    }
    if (request.path.starts_with(all + "/")) {
      const auto run = runs.find(request.path.substr(all.size() + 1));
      if (run != runs.end()) return HttpCluster::json(run->second);
    }
    return HttpCluster::refuse(404, "NotFound");
  }
  // What there is of an earlier approval.
  void there_is(const std::string& name, run::Phase phase, std::vector<run::Victim> victims,
                const std::string& hash = kHash) {
    run::Run run;
    run.phase = phase;
    run.phases = {{phase, Time{}, ""}};
    run.victims = std::move(victims);
    runs[name] = R"({"metadata":{"name":")" + name + R"("},"spec":{"planHash":")" + hash +
                 R"(","approvedBy":"bob"},"status":)" + documents::write_status(run) + "}";
  }
  std::string approve() {
    const terminal::Environment none = [](const std::string&) { return std::nullopt; };
    const auto options = parse_options(std::vector<const char*>{"tamp", "approve", kHash.c_str(),
                                                                "--kubeconfig", cluster.kubeconfig().c_str()},
                                       none);
    EXPECT_TRUE(options) << options.error().message;
    const auto said = run_approve({*options, none, {}, failed});
    return said ? *said : "error: " + said.error().message;
  }

  std::map<std::string, std::string> runs;  // by name, as JSON
  std::vector<wire::Tree> created;
  bool failed = false;
  HttpCluster cluster{[this](const net::HttpRequest& request) { return answer(request); }};
};

TEST_F(Approve, CreatesARunInTheUsersName) {
  EXPECT_THAT(approve(), HasSubstr("as mia"));
  ASSERT_EQ(created.size(), 1u);
  EXPECT_EQ(created[0].at({"metadata", "name"}).string(), "run-0123456789ab");
  EXPECT_EQ(created[0].at({"spec", "planHash"}).string(), kHash);
  EXPECT_EQ(created[0].at({"spec", "approvedBy"}).string(), "mia");
  EXPECT_EQ(created[0].at({"spec", "source"}).string(), "cli");
}

// The second run would be refused at once, and its approver be told nothing.
TEST_F(Approve, APlanThatIsApprovedAlreadyIsNotApprovedAgain) {
  for (const run::Phase phase :
       {run::Phase::Approved, run::Phase::Draining, run::Phase::Succeeded, run::Phase::RolledBack}) {
    std::vector<run::Victim> victims;
    if (phase != run::Phase::Approved) victims.push_back({"a", "uid-a", "", "", false, false});
    there_is("run-0123456789ab", phase, victims);
    EXPECT_THAT(approve(), HasSubstr("error: this plan has been approved already: run run-0123456789ab is " +
                                     std::string(run::word(phase))));
    EXPECT_TRUE(created.empty());
  }
}

TEST_F(Approve, AnApprovalThatWasRefusedLeavesThePlanToTheNext) {
  there_is("run-0123456789ab", run::Phase::RolledBack, {});
  there_is("run-0123456789ab-2", run::Phase::Draining, {{"a", "uid-a", "", "", false, false}},
           kHash.substr(0, 12) + std::string(52, 'f'));
  EXPECT_THAT(approve(), HasSubstr("run run-0123456789ab-3"))
      << "the first was refused, the second is of another plan";
  EXPECT_EQ(created.size(), 1u);
}

}  // namespace
}  // namespace tamp::cli
