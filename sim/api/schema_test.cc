#include "sim/api/schema.h"

#include <gtest/gtest.h>

namespace tamp::world::api {
namespace {

using Type = Schema::Type;
using List = Schema::List;

const Schema& pod_spec() { return find_schema("", "v1", "Pod")->field("spec")->schema(); }

TEST(Schema, KnowsTheBuiltInKinds) {
  EXPECT_EQ(find_schema("apps", "v1", "Deployment")->name, "io.k8s.api.apps.v1.Deployment");
  EXPECT_NE(find_schema("policy", "v1", "Eviction"), nullptr);
  EXPECT_EQ(find_schema("apps", "v2", "Deployment"), nullptr);
  EXPECT_EQ(find_schema("temper.codes", "v1alpha1", "TemperPolicy"), nullptr);
}

TEST(Schema, KnowsTypesOfFields) {
  const Schema& container = pod_spec().field("containers")->schema().element();
  EXPECT_EQ(container.name, "io.k8s.api.core.v1.Container");
  EXPECT_EQ(container.field("image")->schema().type, Type::String);
  EXPECT_EQ(container.field("nosuch"), nullptr);
  const Schema& resources = container.field("resources")->schema();
  EXPECT_EQ(resources.field("limits")->schema().type, Type::Map);
  EXPECT_EQ(resources.field("limits")->schema().element().type, Type::Quantity);
  EXPECT_EQ(pod_spec().field("priority")->schema().format, "int32");
  EXPECT_EQ(pod_spec().field("activeDeadlineSeconds")->schema().format, "int64");
  const Schema& meta = find_schema("", "v1", "Pod")->field("metadata")->schema();
  EXPECT_EQ(meta.field("creationTimestamp")->schema().type, Type::Time);
  const Schema& lease = find_schema("coordination.k8s.io", "v1", "Lease")->field("spec")->schema();
  EXPECT_EQ(lease.field("renewTime")->schema().type, Type::MicroTime);
  const Schema& budget = find_schema("policy", "v1", "PodDisruptionBudget")->field("spec")->schema();
  EXPECT_EQ(budget.field("minAvailable")->schema().type, Type::IntOrString);
  EXPECT_EQ(find_schema("", "v1", "Secret")->field("data")->schema().element().type, Type::Bytes);
}

TEST(Schema, KnowsWhatIsRequired) {
  EXPECT_TRUE(pod_spec().field("containers")->required);
  EXPECT_FALSE(pod_spec().field("nodeName")->required);
}

TEST(Schema, KnowsHowListsAndMapsAreOwned) {
  const Schema& container = pod_spec().field("containers")->schema().element();
  const Schema& ports = container.field("ports")->schema();
  EXPECT_EQ(ports.list, List::Map);
  EXPECT_EQ(ports.keys, (std::vector<std::string>{"containerPort", "protocol"}));
  EXPECT_EQ(ports.element().field("protocol")->default_value, Tree("TCP"));
  EXPECT_EQ(container.field("args")->schema().list, List::Atomic);
  EXPECT_EQ(pod_spec().field("tolerations")->schema().list, List::Atomic);
  const Schema& meta = find_schema("", "v1", "Pod")->field("metadata")->schema();
  EXPECT_EQ(meta.field("finalizers")->schema().list, List::Set);
  EXPECT_EQ(meta.field("ownerReferences")->schema().keys, std::vector<std::string>{"uid"});
  EXPECT_TRUE(pod_spec().field("nodeSelector")->schema().atomic);
  const Schema& deployment = find_schema("apps", "v1", "Deployment")->field("spec")->schema();
  EXPECT_TRUE(deployment.field("selector")->schema().atomic);
}

TEST(Schema, KnowsHowStrategicPatchesMerge) {
  EXPECT_TRUE(pod_spec().field("containers")->merge);
  EXPECT_EQ(pod_spec().field("containers")->merge_key, "name");
  EXPECT_TRUE(pod_spec().field("volumes")->retain_keys);
  const Schema& container = pod_spec().field("containers")->schema().element();
  EXPECT_EQ(container.field("ports")->merge_key, "containerPort");
  EXPECT_FALSE(pod_spec().field("tolerations")->merge);
  const Schema& deployment = find_schema("apps", "v1", "Deployment")->field("spec")->schema();
  EXPECT_TRUE(deployment.field("strategy")->retain_keys);
}

TEST(Schema, OfTypesThatHoldThemselves) {
  const Schema& version = find_schema("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
                              ->field("spec")
                              ->schema()
                              .field("versions")
                              ->schema()
                              .element();
  const Schema& props = version.field("schema")->schema().field("openAPIV3Schema")->schema();
  EXPECT_EQ(&props.field("properties")->schema().element(), &props);
}

TEST(Schema, OfACustomKind) {
  auto json = wire::read_tree(R"({"type": "object", "required": ["spec"], "properties": {
    "spec": {"type": "object", "properties": {
      "size": {"type": "integer", "format": "int32", "default": 3},
      "share": {"x-kubernetes-int-or-string": true},
      "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
      "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
      "plain": {"type": "array", "items": {"type": "string"}},
      "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
      "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
      "pod": {"type": "object", "x-kubernetes-embedded-resource": true}}}}})");
  ASSERT_TRUE(json);
  const Schema custom = schema_of_custom(*json);
  EXPECT_EQ(custom.field("metadata")->schema().name, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_TRUE(custom.field("spec")->required);
  const Schema& spec = custom.field("spec")->schema();
  EXPECT_EQ(spec.field("size")->default_value, Tree(3));
  EXPECT_EQ(spec.field("share")->schema().type, Type::Any);
  EXPECT_EQ(spec.field("tags")->schema().list, List::Set);
  EXPECT_EQ(spec.field("ports")->schema().keys, std::vector<std::string>{"name"});
  EXPECT_EQ(spec.field("plain")->schema().list, List::Atomic);
  EXPECT_TRUE(spec.field("whole")->schema().atomic);
  EXPECT_TRUE(spec.field("free")->schema().preserve_unknown);
  EXPECT_NE(spec.field("pod")->schema().field("metadata"), nullptr);
  const Schema copy = custom;
  EXPECT_NE(&copy.field("spec")->schema(), &spec);
}

}  // namespace
}  // namespace tamp::world::api
