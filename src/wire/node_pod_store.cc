#include "wire/node_pod_store.h"

#include <fmt/format.h>

namespace tamp::wire {
namespace {

Result<std::pair<std::string, std::string>> key_of(Value object) {
  const Value metadata = object.get("metadata");
  std::string name(metadata.get("name").string().value_or(""));
  if (name.empty()) return Error{"metadata.name: is missing"};
  return std::pair(std::string(metadata.get("namespace").string().value_or("default")), std::move(name));
}

}  // namespace

Result<bool> NodePodStore::put(Pods& pods, Value object) {
  TAMP_TRY(Key key, key_of(object));
  Cluster scratch;
  auto pod = decode_node_pod(scratch, object, floors_);
  if (!pod) problem_ = pod.error().message;
  const auto it = pods.find(key);
  if (!pod || !*pod) {
    if (it == pods.end()) return false;
    pods.erase(it);
    return true;
  }
  if (it != pods.end() && it->second == **pod) return false;
  pods.insert_or_assign(std::move(key), std::move(**pod));
  return true;
}

Result<PageInfo> NodePodStore::add_page(const std::string& bytes) {
  TAMP_TRY(const Json page, Json::parse(bytes));
  TAMP_TRY(PageInfo info, read_page_info(page.root()));
  const Value items = page.root().get("items");
  if (items.present() && !items.is_array()) return Error{"items: must be a list"};
  if (!listed_) begin_list();
  std::size_t index = 0;
  for (const Value item : items.elements()) {
    if (auto status = put(*listed_, item); !status)
      return std::move(status).error().with(fmt::format("items[{}]", index));
    ++index;
  }
  return info;
}

void NodePodStore::end_list() {
  if (!listed_) return;
  changed_ = changed_ || pods_ != *listed_;
  pods_ = std::move(*listed_);
  listed_.reset();
}

Result<EventInfo> NodePodStore::apply_event(const std::string& line) {
  TAMP_TRY(const Json json, Json::parse(line));
  TAMP_TRY(EventInfo event, read_event_info(json.root()));
  listed_.reset();
  const Value object = json.root().get("object");
  switch (event.type) {
    case EventInfo::Type::Added:
    case EventInfo::Type::Modified: {
      auto put_in = put(pods_, object);
      if (!put_in) return std::move(put_in).error().with("object");
      changed_ = changed_ || *put_in;
      break;
    }
    case EventInfo::Type::Deleted: {
      TAMP_TRY(const Key key, key_of(object));
      changed_ = pods_.erase(key) > 0 || changed_;
      break;
    }
    case EventInfo::Type::Bookmark:
    case EventInfo::Type::Error:
      break;
  }
  return event;
}

std::vector<NodePod> NodePodStore::pods() const {
  std::vector<NodePod> all;
  all.reserve(pods_.size());
  for (const auto& [key, pod] : pods_) all.push_back(pod);
  return all;
}

}  // namespace tamp::wire
