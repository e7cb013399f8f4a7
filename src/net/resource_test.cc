#include "net/resource.h"

#include <gtest/gtest.h>

namespace tamp::net {
namespace {

TEST(Resource, TheCoreGroupAndTheOthersLiveApart) {
  EXPECT_EQ(collection_path(kPods), "/api/v1/pods");
  EXPECT_EQ(collection_path(kPods, "shop"), "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(collection_path(wire::ObjectKind::PodDisruptionBudget), "/apis/policy/v1/poddisruptionbudgets");
  EXPECT_EQ(collection_path(wire::ObjectKind::NodePool), "/apis/karpenter.sh/v1/nodepools");
}

TEST(Resource, ATypeWithoutNamespacesIgnoresThem) {
  EXPECT_EQ(collection_path(kNodes, "shop"), "/api/v1/nodes");
  EXPECT_EQ(object_path(kTemperPolicies, "", "default", "status"),
            "/apis/temper.codes/v1alpha1/temperpolicies/default/status");
}

TEST(Resource, AnObjectMayHaveASubresource) {
  EXPECT_EQ(object_path(kPods, "shop", "web-1", "eviction"), "/api/v1/namespaces/shop/pods/web-1/eviction");
  EXPECT_EQ(object_path(kLeases, "tamp-system", "tamp-controller"),
            "/apis/coordination.k8s.io/v1/namespaces/tamp-system/leases/tamp-controller");
}

TEST(Resource, ForeignTextCannotLeaveItsPlace) {
  EXPECT_EQ(object_path(kPods, "a/b", "c?d"), "/api/v1/namespaces/a%2Fb/pods/c%3Fd");
  EXPECT_EQ(escape("a b=c&d%\xc3\xa4"), "a%20b%3Dc%26d%25%C3%A4");
  EXPECT_EQ(escape("-._~aZ9"), "-._~aZ9");
}

TEST(Query, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(query_text({}), "");
  EXPECT_EQ(query_text({{"limit", ""}}), "");
  EXPECT_EQ(query_text({{"limit", "500"}, {"continue", ""}, {"labelSelector", "a in (b,c)"}}),
            "?limit=500&labelSelector=a%20in%20%28b%2Cc%29");
}

}  // namespace
}  // namespace tamp::net
