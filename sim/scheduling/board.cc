#include "sim/scheduling/board.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "store/shelves.h"
#include "wire/object.h"

namespace tamp::world {
namespace {

using wire::ObjectKind;
using wire::Tree;

// Would the decoder see the same pod? Most writes to a pod are about its health, which is no business of the scheduler's.
bool same_pod(const api::Object& a, const api::Object& b) {
  const auto resized = [](const api::Object& object) {
    const auto& containers = object.status()["containerStatuses"].elements();
    return std::any_of(containers.begin(), containers.end(), [](const Tree& container) {
      return container.has("resources") || container.has("allocatedResources");
    });
  };
  return a.uid() == b.uid() && a.terminating() == b.terminating() &&
         a.status()["phase"] == b.status()["phase"] && a.status()["startTime"] == b.status()["startTime"] &&
         a.status()["nominatedNodeName"] == b.status()["nominatedNodeName"] &&
         a.metadata()["labels"] == b.metadata()["labels"] && a.spec() == b.spec() && !resized(a) &&
         !resized(b);
}

bool same_node(const api::Object& a, const api::Object& b) {
  return a.uid() == b.uid() && a.metadata()["labels"] == b.metadata()["labels"] && a.spec() == b.spec() &&
         a.status()["allocatable"] == b.status()["allocatable"];
}

}  // namespace

Board::Board() : placement_(cluster_) {}

Board::Board(const Board& other)
    : cluster_(other.cluster_),
      placement_(other.placement_, cluster_),
      census_(other.census_),
      order_(other.order_),
      nominated_(other.nominated_),
      bound_to_(other.bound_to_),
      free_pods_(other.free_pods_),
      free_nodes_(other.free_nodes_),
      node_age_(other.node_age_),
      pods_(other.pods_),
      nodes_(other.nodes_),
      generation_(other.generation_),
      next_age_(other.next_age_) {}

Board& Board::operator=(const Board& other) {
  if (this == &other) return *this;
  cluster_ = other.cluster_;
  placement_ = Placement(other.placement_, cluster_);
  census_ = other.census_;
  order_ = other.order_;
  nominated_ = other.nominated_;
  bound_to_ = other.bound_to_;
  free_pods_ = other.free_pods_;
  free_nodes_ = other.free_nodes_;
  node_age_ = other.node_age_;
  pods_ = other.pods_;
  nodes_ = other.nodes_;
  generation_ = other.generation_;
  next_age_ = other.next_age_;
  return *this;
}

PodId Board::find_pod(std::string_view ns, std::string_view name) const {
  const Symbol a = cluster_.symbols.find(ns), b = cluster_.symbols.find(name);
  const auto found = pods_.find(store::key_of(a, b));
  return found == pods_.end() ? PodId() : found->second;
}

NodeRef Board::find_node(std::string_view name) const {
  const auto found = nodes_.find(cluster_.symbols.find(name));
  return found == nodes_.end() ? NodeRef() : found->second;
}

bool Board::apply(const api::Change& change) {
  using api::ResourceId;
  bool changed = false;
  switch (change.resource) {
    case ResourceId::Pods:
      changed = apply_pod(change);
      break;
    case ResourceId::Nodes:
      changed = apply_node(change);
      break;
    case ResourceId::Namespaces:
      changed = apply_other(change, ObjectKind::Namespace, cluster_.namespaces);
      break;
    case ResourceId::PodDisruptionBudgets:
      changed = apply_other(change, ObjectKind::PodDisruptionBudget, cluster_.budgets);
      break;
    case ResourceId::PersistentVolumes:
      changed = apply_other(change, ObjectKind::PersistentVolume, cluster_.volumes);
      placement_.volumes = cluster_.volumes;
      break;
    case ResourceId::PersistentVolumeClaims:
      changed = apply_other(change, ObjectKind::PersistentVolumeClaim, cluster_.volume_claims);
      placement_.claims = cluster_.volume_claims;
      break;
    case ResourceId::StorageClasses:
      changed = apply_other(change, ObjectKind::StorageClass, cluster_.storage_classes);
      break;
    case ResourceId::CsiNodes:
      changed = apply_other(change, ObjectKind::CsiNode, cluster_.csi_nodes);
      break;
    default:
      break;
  }
  if (changed) ++generation_;
  return changed;
}

// The decoders of codec/ add to the cluster's lists; what they added is taken off again and goes where it belongs.
template <typename T>
std::optional<T> Board::decode(const api::Object& object, ObjectKind kind) {
  text_.clear();
  wire::append_json(text_, object.tree());
  const Result<wire::Json> json = wire::Json::parse(text_);
  if (!json) return {};
  const auto count = [&] {
    if constexpr (std::is_same_v<T, store::BoundPod>)
      return cluster_.pods.size();
    else
      return store::list_of(cluster_, static_cast<const T*>(nullptr)).size();
  };
  const std::size_t before = count();
  wire::Decoder decoder(cluster_, json->root());
  const Symbol ns = wire::info(kind).namespaced ? word(object.ns()) : Symbol();
  wire::decode_object(decoder, kind, ns, word(object.name()));
  if (count() == before) return {};
  T decoded = store::take_last<T>(cluster_);
  if (decoder.failed()) return {};
  return decoded;
}

template <typename T>
bool Board::apply_other(const api::Change& change, ObjectKind kind, std::vector<T>& list) {
  const Symbol ns = wire::info(kind).namespaced ? word(change.object().ns()) : Symbol();
  const store::NameKey key = store::key_of(ns, word(change.object().name()));
  std::optional<T> decoded = change.after ? decode<T>(*change.after, kind) : std::nullopt;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const T& object) { return store::name_key(object) == key; });
  if (!decoded) {
    if (found == list.end()) return false;
    list.erase(found);
    return true;
  }
  if (found == list.end()) {
    list.push_back(*std::move(decoded));
    return true;
  }
  const bool changed = !(*found == *decoded);
  *found = *std::move(decoded);
  return changed;
}

bool Board::apply_pod(const api::Change& change) {
  if (change.before && change.after && same_pod(*change.before, *change.after)) return false;
  const api::Object& object = change.object();
  const Symbol ns = word(object.ns());
  const store::NameKey key = store::key_of(ns, word(object.name()));
  auto decoded = change.after ? decode<store::BoundPod>(*change.after, ObjectKind::Pod) : std::nullopt;
  const auto found = pods_.find(key);
  if (!decoded) {
    if (found == pods_.end()) return false;
    const PodId id = found->second;
    lift(id);
    cluster_.pods[id.index()] = Pod();
    bound_to_[id.index()] = {};
    note_nomination(id);
    pods_.erase(found);
    free_pods_.push_back(id);
    return true;
  }

  PodId id;
  if (found != pods_.end()) {
    id = found->second;
    lift(id);
  } else if (!free_pods_.empty()) {
    id = free_pods_.back();
    free_pods_.pop_back();
  } else {
    id = PodId(cluster_.pods.size());
    cluster_.pods.emplace_back();
    bound_to_.emplace_back();
    placement_.resize_pods(cluster_.pods.size());
  }
  pods_[key] = id;
  const Symbol node = decoded->node;
  cluster_.pods[id.index()] = std::move(decoded->pod);
  bound_to_[id.index()] = node;
  if (const auto host = nodes_.find(node); node.valid() && host != nodes_.end()) {
    cluster_.pods[id.index()].node = NodeId(host->second.index());
    if (!pod(id).terminal()) set_down(id, host->second);
  }
  note_nomination(id);
  return true;
}

bool Board::apply_node(const api::Change& change) {
  if (change.before && change.after && same_node(*change.before, *change.after)) return false;
  const Symbol name = word(change.object().name());
  std::optional<Node> decoded = change.after ? decode<Node>(*change.after, ObjectKind::Node) : std::nullopt;
  const auto found = nodes_.find(name);
  if (!decoded) {
    if (found == nodes_.end()) return false;
    const NodeRef ref = found->second;
    const std::vector<PodId> stranded = placement_.pods_on(ref);
    for (PodId id : stranded) lift(id);
    placement_.remove_node(ref);
    nodes_.erase(found);
    free_nodes_.push_back(ref);
    reorder();
    return true;
  }
  if (found != nodes_.end()) {
    cluster_.nodes[found->second.index()] = *decoded;
    placement_.replace_node(found->second, *std::move(decoded));
    reorder();
    return true;
  }

  NodeRef ref;
  if (!free_nodes_.empty()) {
    ref = free_nodes_.back();
    free_nodes_.pop_back();
    cluster_.nodes[ref.index()] = *decoded;
    placement_.replace_node(ref, *std::move(decoded));
  } else {
    cluster_.nodes.push_back(*decoded);
    ref = placement_.add_node(*std::move(decoded));
    census_.use.emplace_back();
    node_age_.emplace_back();
  }
  node_age_[ref.index()] = next_age_++;
  nodes_[name] = ref;
  census_.use[ref.index()] = {};
  for (std::size_t i = 0; i < bound_to_.size(); ++i)
    if (bound_to_[i] == name && !cluster_.pods[i].terminal()) set_down(PodId(i), ref);
  reorder();
  return true;
}

void Board::assume(PodId pod, NodeRef node) {
  set_down(pod, node);
  cluster_.pods[pod.index()].node = NodeId(node.index());
  bound_to_[pod.index()] = this->node(node).name;
  note_nomination(pod);
  ++generation_;
}

void Board::lift(PodId pod) {
  const NodeRef node = placement_.where(pod);
  if (!node.valid()) return;
  placement_.lift(pod);
  census_.use[node.index()] = use_of(placement_, node);
  std::erase(census_.opinionated, pod);
}

void Board::set_down(PodId pod, NodeRef node) {
  lift(pod);
  placement_.set_down(pod, node);
  census_.use[node.index()] = use_of(placement_, node);
  auto& list = census_.opinionated;
  if (opinionated(cluster_.spec(this->pod(pod))))
    list.insert(std::lower_bound(list.begin(), list.end(), pod), pod);
}

void Board::note_nomination(PodId pod) {
  std::erase(nominated_, pod);
  const Pod& p = this->pod(pod);
  if (cluster_.text(p.nominated_node).empty() || !p.active() || placement_.where(pod).valid()) return;
  nominated_.insert(std::lower_bound(nominated_.begin(), nominated_.end(), pod), pod);
}

void Board::reorder() {
  std::vector<NodeRef> by_age = placement_.nodes();
  std::sort(by_age.begin(), by_age.end(),
            [&](NodeRef a, NodeRef b) { return node_age_[a.index()] < node_age_[b.index()]; });
  // Region and zone together make a zone; zones are in the order of their oldest nodes.
  std::vector<std::vector<NodeRef>> zones;
  std::map<std::pair<Symbol, Symbol>, std::size_t> index;
  for (NodeRef ref : by_age) {
    const LabelSet& labels = node(ref).labels;
    const std::pair zone{labels.get(cluster_.known.region), labels.get(cluster_.known.zone)};
    const auto [found, fresh] = index.try_emplace(zone, zones.size());
    if (fresh) zones.emplace_back();
    zones[found->second].push_back(ref);
  }
  order_.clear();
  for (std::size_t turn = 0; order_.size() < by_age.size(); ++turn)
    for (const auto& zone : zones)
      if (turn < zone.size()) order_.push_back(zone[turn]);
}

}  // namespace tamp::world
