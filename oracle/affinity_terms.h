// Which pods a term of inter-pod affinity or anti-affinity is about. Two questions, because kube-scheduler answers them
// differently: whose term is it?
#pragma once

#include "core/cluster.h"

namespace tamp::world {

// A term of a pod that already runs (`owner`), against the pod that is judged.
bool existing_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& owner,
                           const Pod& incoming);

// A term of the pod that is judged, against a pod that already runs. kube-scheduler turns the namespace selector into
// names first, of the namespaces that exist; but (v1.36) it also still asks the selector itself, about no labels at all,
// so that one which holds without labels (NotIn, DoesNotExist) takes in every namespace. The literal scheduler does as
// the real one does.
bool incoming_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& incoming,
                           const Pod& other);

}  // namespace tamp::world
