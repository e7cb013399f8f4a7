// What kubectl sees of the server besides objects: discovery, tables, OpenAPI; and how it speaks (protobuf).
#include <gtest/gtest.h>

#include <string>

#include "sim/api/discovery.h"
#include "sim/api/json_path.h"
#include "sim/api/openapi.h"
#include "sim/api/printer.h"
#include "sim/api/protobuf.h"
#include "sim/api/table.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) {
  Result<Tree> read = wire::read_tree(json);
  EXPECT_TRUE(read.ok()) << json;
  return std::move(read).value();
}

constexpr Time kNow{1'794'700'800'000'000'000};  // 2026-11-15T00:00:00Z

Tree ask(const std::string& path, const std::string& accept = "") {
  const Registry registry;
  const auto answer = answer_discovery({registry, {}}, path, accept);
  return answer && answer->content_type.starts_with("application/json") ? tree(answer->body) : Tree();
}

const Tree* named(const Tree& list, std::string_view key, std::string_view name) {
  for (const Tree& element : list.elements())
    if (element[key].string() == name) return &element;
  return nullptr;
}

// ---- discovery

TEST(Discovery, TheCoreGroupHasOneVersionAndNoName) {
  EXPECT_EQ(ask("/api")["versions"].elements().front().string(), "v1");
  EXPECT_EQ(ask("/api/v1")["groupVersion"].string(), "v1");
  EXPECT_TRUE(ask("/api/v2").is_null());
}

TEST(Discovery, AGroupTellsItsPreferredVersion) {
  const Tree list = ask("/apis");
  const Tree* apps = named(list["groups"], "name", "apps");
  ASSERT_NE(apps, nullptr);
  EXPECT_EQ(apps->at({"preferredVersion", "groupVersion"}).string(), "apps/v1");
  EXPECT_EQ(ask("/apis/apps")["kind"].string(), "APIGroup");
  EXPECT_TRUE(ask("/apis/nonsense").is_null());
}

TEST(Discovery, SubresourcesOfOtherGroupsSaySo) {
  const Tree apps = ask("/apis/apps/v1"), core = ask("/api/v1");
  const Tree* scale = named(apps["resources"], "name", "deployments/scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ((*scale)["group"].string(), "autoscaling");
  EXPECT_EQ((*scale)["kind"].string(), "Scale");
  const Tree* eviction = named(core["resources"], "name", "pods/eviction");
  ASSERT_NE(eviction, nullptr);
  EXPECT_EQ((*eviction)["group"].string(), "policy");
}

TEST(Discovery, WhoUnderstandsTheAggregatedFormGetsItWithItsType) {
  const std::string accept =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
  const Registry registry;
  const auto answer = answer_discovery({registry, {}}, "/apis", accept);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->content_type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  const Tree list = tree(answer->body);
  EXPECT_EQ(list["kind"].string(), "APIGroupDiscoveryList");
  EXPECT_EQ(list["items"].elements().front().at({"metadata", "name"}).string(), "apps");
  EXPECT_EQ(ask("/apis", "application/json")["kind"].string(), "APIGroupList");
}

// ---- what an Accept header asks for

TEST(Form, TheFirstWishThatCanBeMetCounts) {
  EXPECT_EQ(form_asked(""), Form::Object);
  EXPECT_EQ(form_asked("*/*"), Form::Object);
  EXPECT_EQ(form_asked("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"), Form::Table);
  EXPECT_EQ(form_asked("application/vnd.kubernetes.protobuf,application/json"), Form::Object);
  EXPECT_EQ(form_asked("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
            Form::PartialMetadata);
  EXPECT_EQ(form_asked("application/json;as=Table;v=v9;g=meta.k8s.io"), Form::NotAcceptable);
  EXPECT_EQ(form_asked("text/html"), Form::NotAcceptable);
}

// ---- tables

TEST(Table, AgesHaveTwoOrThreeFigures) {
  EXPECT_EQ(human_duration(Duration::seconds(119)), "119s");
  EXPECT_EQ(human_duration(Duration::seconds(120)), "2m");
  EXPECT_EQ(human_duration(Duration::seconds(150)), "2m30s");
  EXPECT_EQ(human_duration(Duration::minutes(179)), "179m");
  EXPECT_EQ(human_duration(Duration::minutes(200)), "3h20m");
  EXPECT_EQ(human_duration(Duration::hours(47)), "47h");
  EXPECT_EQ(human_duration(Duration::hours(50)), "2d2h");
  EXPECT_EQ(human_duration(Duration::hours(24 * 400)), "400d");
  EXPECT_EQ(human_duration(Duration::hours(24 * 800)), "2y70d");
  EXPECT_EQ(human_duration(Duration::seconds(-1)), "0s");
  EXPECT_EQ(human_duration(Duration::seconds(-5)), "<invalid>");
}

std::string status_of(const std::string& json) {
  return std::string(pod_cells(tree(json), kNow)[2].string());
}

TEST(Table, APodsStatusIsWhatItsContainersDo) {
  EXPECT_EQ(status_of(R"({"status":{"phase":"Pending"}})"), "Pending");
  EXPECT_EQ(status_of(R"({"status":{"phase":"Failed","reason":"Evicted"}})"), "Evicted");
  EXPECT_EQ(status_of(R"({"metadata":{"deletionTimestamp":"x"},"status":{"phase":"Running"}})"),
            "Terminating");
  EXPECT_EQ(status_of(R"({"metadata":{"deletionTimestamp":"x"},"status":{"phase":"Succeeded"}})"),
            "Succeeded");
  EXPECT_EQ(status_of(R"({"status":{"phase":"Running","containerStatuses":[
      {"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})"),
            "CrashLoopBackOff");
  EXPECT_EQ(status_of(R"({"status":{"phase":"Failed","containerStatuses":[
      {"name":"a","state":{"terminated":{"exitCode":3}}}]}})"),
            "ExitCode:3");
  EXPECT_EQ(status_of(R"({"spec":{"initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Pending",
      "initContainerStatuses":[{"name":"i","state":{"running":{}}}]}})"),
            "Init:0/2");
}

TEST(Table, APodsRestartsTellWhenTheLastOneWas) {
  const Tree::Array cells =
      pod_cells(tree(R"({"metadata":{"name":"p","creationTimestamp":"2026-11-14T23:00:00Z"},
      "spec":{"containers":[{"name":"a"},{"name":"b"}],"nodeName":"n1"},
      "status":{"phase":"Running","podIPs":[{"ip":"10.1.2.3"}],"containerStatuses":[
        {"name":"a","ready":true,"restartCount":2,"state":{"running":{}},
         "lastState":{"terminated":{"finishedAt":"2026-11-14T23:50:00Z"}}},
        {"name":"b","ready":false,"restartCount":1,"state":{"running":{}}}]}})"),
                kNow);
  EXPECT_EQ(cells[1].string(), "1/2");
  EXPECT_EQ(cells[3].string(), "3 (10m ago)");
  EXPECT_EQ(cells[4].string(), "60m");
  EXPECT_EQ(cells[5].string(), "10.1.2.3");
  EXPECT_EQ(cells[6].string(), "n1");
  EXPECT_EQ(cells[7].string(), "<none>");
}

TEST(Table, ARowHasACellForEveryColumn) {
  const Registry registry;
  const Tree object = tree(R"({"metadata":{"name":"x"},"spec":{},"status":{}})");
  for (const Resource& resource : Registry::built_in()) {
    if (!resource.stored) continue;
    const Tree table =
        to_table(resource, nullptr, {&object}, Tree::object(), RowObject::Metadata, true, kNow);
    EXPECT_EQ(table["columnDefinitions"].size(), table["rows"].elements().front()["cells"].size())
        << resource.plural;
  }
}

TEST(Table, ColumnsOfACustomKindComeFromItsDefinition) {
  CustomVersion version;
  version.columns = {{"Size", "integer", "", "", ".spec.size", 0},
                     {"Ready", "string", "", "", R"(.status.conditions[?(@.type=="Ready")].status)", 0},
                     {"Age", "date", "", "", ".metadata.creationTimestamp", 0},
                     {"Gone", "string", "", "", ".spec.none", 0}};
  Resource resource;
  resource.id = ResourceId::FirstCustom;
  const Tree object =
      tree(R"({"metadata":{"name":"w","creationTimestamp":"2026-11-14T23:59:00Z"},"spec":{"size":3},
      "status":{"conditions":[{"type":"Other","status":"False"},{"type":"Ready","status":"True"}]}})");
  const Tree table = to_table(resource, &version, {&object}, Tree::object(), RowObject::None, true, kNow);
  EXPECT_EQ(wire::to_json(table["rows"].elements().front()["cells"]), R"(["w",3,"True","60s",null])");
}

TEST(JsonPath, SelectsWhatItSays) {
  const Tree object = tree(R"({"a":{"b.c/d":"x","list":[{"n":"p","v":1},{"n":"q","v":2}]}})");
  EXPECT_EQ(find_by_json_path(object, R"(.a.b\.c/d)")->string(), "x");
  EXPECT_EQ(find_by_json_path(object, R"(.a['b.c/d'])")->string(), "x");
  EXPECT_EQ(find_by_json_path(object, ".a.list[1].v")->integer(), 2);
  EXPECT_EQ(find_by_json_path(object, R"({.a.list[?(@.n=="q")].v})")->integer(), 2);
  EXPECT_EQ(find_by_json_path(object, ".a.list[*].v")->integer(), 1);
  EXPECT_EQ(find_by_json_path(object, ".a.none.deep"), nullptr);
  EXPECT_EQ(find_by_json_path(object, ".a.list[7]"), nullptr);
}

// ---- OpenAPI

TEST(OpenApi, ListsAreMergedAsTheTypesSay) {
  const Registry registry;
  const Tree document = openapi_v3({registry, {}}, "apis/apps/v1");
  const Tree& schemas = document.at({"components", "schemas"});
  const Tree& containers = schemas["io.k8s.api.core.v1.PodSpec"].at({"properties", "containers"});
  EXPECT_EQ(containers["x-kubernetes-patch-strategy"].string(), "merge");
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"].string(), "name");
  const Tree& deployment = schemas["io.k8s.api.apps.v1.Deployment"];
  EXPECT_EQ(deployment["x-kubernetes-group-version-kind"].elements().front()["kind"].string(), "Deployment");
}

TEST(OpenApi, APatchTellsThatItValidatesFields) {
  const Registry registry;
  const Tree document = openapi_v3({registry, {}}, "api/v1");
  const Tree& patch = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
  EXPECT_EQ(patch["x-kubernetes-group-version-kind"]["kind"].string(), "Pod");
  EXPECT_NE(named(patch["parameters"], "name", "fieldValidation"), nullptr);
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  const Registry registry;
  const Tree document = openapi_v3({registry, {}}, "api/v1");
  const Tree& schemas = document.at({"components", "schemas"});
  const std::string text = wire::to_json(document);
  const std::string mark = "#/components/schemas/";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(schemas.has(name)) << name;
  }
}

TEST(OpenApi, TheIndexNamesADocumentByItsContent) {
  const Registry registry;
  const Tree index = openapi_v3_index({registry, {}});
  EXPECT_TRUE(index["paths"]["api/v1"]["serverRelativeURL"].string().starts_with("/openapi/v3/api/v1?hash="));
  EXPECT_TRUE(openapi_v3({registry, {}}, "apis/nonsense/v1").is_null());
}

// ---- protobuf

std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string varint(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}
std::string envelope(const std::string& version, const std::string& kind, const std::string& inside) {
  return std::string("k8s\0", 4) + field(1, field(1, version) + field(2, kind)) + field(2, inside);
}

TEST(Protobuf, AnObjectIsReadByTheNumbersOfItsFields) {
  const std::string metadata =
      field(1, field(1, "a") + field(8, ""));  // name, and a creation time that is not set
  const std::string data = field(2, field(1, "k") + field(2, "v"));
  const Result<Tree> read = read_protobuf(envelope("v1", "ConfigMap", metadata + data));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(wire::to_json(*read),
            R"({"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"name":"a"}})");
}

TEST(Protobuf, NumbersPercentagesQuantitiesAndInlinedParts) {
  const std::string cpu = field(2, field(1, "cpu") + field(2, field(1, "100m")));  // requests
  const std::string container = field(1, "c") + field(8, cpu);
  const std::string volume = field(1, "v") + field(2, field(2, ""));  // volumeSource.emptyDir
  const std::string pod = field(2, field(1, volume) + field(2, container) + varint(4, 30));
  const Result<Tree> read = read_protobuf(envelope("v1", "Pod", pod));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(
      wire::to_json((*read)["spec"]),
      R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"100m"}}}],"terminationGracePeriodSeconds":30,)"
      R"("volumes":[{"emptyDir":{},"name":"v"}]})");
  const std::string budget = field(2, field(1, varint(1, 1) + varint(2, 0) + field(3, "50%")));
  const Result<Tree> pdb = read_protobuf(envelope("policy/v1", "PodDisruptionBudget", budget));
  ASSERT_TRUE(pdb.ok());
  EXPECT_EQ(pdb->at({"spec", "minAvailable"}).string(), "50%");
}

TEST(Protobuf, WhatIsNoMessageIsRefused) {
  EXPECT_FALSE(read_protobuf("{}").ok());
  EXPECT_FALSE(read_protobuf(std::string("k8s\0\x0a\x7f", 6)).ok());
  EXPECT_FALSE(read_protobuf(envelope("v1", "Nonsense", "")).ok());
  EXPECT_FALSE(read_protobuf(envelope("v1", "ConfigMap", "\x0a\x50x")).ok());
}

}  // namespace
}  // namespace tamp::world::api
