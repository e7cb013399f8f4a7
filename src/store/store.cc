#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "core/compact.h"
#include "store/shelves.h"
#include "wire/catalogue.h"
#include "wire/finishing.h"
#include "wire/object.h"
#include "wire/prices.h"
#include "wire/text_at.h"
#include "wire/value.h"

namespace tamp::store {
namespace {

// Tables may grow to twice what was in use when they were last compacted, and by these.
constexpr ClusterStore::Size kSlack{.symbols = 8192,
                                    .symbol_bytes = std::size_t{1} << 20,
                                    .pod_specs = 1024,
                                    .label_sets = 2048,
                                    .resources = 64};

}  // namespace

bool forbids_plan(const UnreadableObject& object) {
  return object.kind != wire::ObjectKind::TemperPolicy || object.name == wire::kPolicyName;
}

struct ClusterStore::State {
  State() {
    for (const wire::KindInfo& kind : wire::kinds())
      live[static_cast<std::size_t>(kind.id)] = empty_shelf(kind.id);
  }

  AnyShelf& shelf(wire::ObjectKind kind) { return live[static_cast<std::size_t>(kind)]; }
  std::optional<AnyShelf>& listed(wire::ObjectKind kind) { return staged[static_cast<std::size_t>(kind)]; }

  // Reads one object into a shelf. An error means that it cannot even be named.
  Result<bool> put(AnyShelf& into, const wire::KindInfo& kind, wire::Value object);
  template <typename T>
  bool put_object(Shelf<T>& shelf, const wire::KindInfo& kind, wire::Decoder& d,
                  const wire::ObjectName& found);
  bool put_object(Shelf<PolicyEntry>& shelf, const wire::KindInfo& kind, wire::Decoder& d,
                  const wire::ObjectName& found);
  Result<bool> remove(AnyShelf& from, const wire::KindInfo& kind, wire::Value object);

  Size size() const {
    return {tables.symbols.size(), tables.symbols.text_bytes(), tables.pod_specs.size(),
            tables.label_sets.size(), tables.resource_names.size()};
  }
  void compact();
  void compact_if_due();

  // Owns symbols, resource names, pod specs, label sets and the catalogue; its lists of objects are empty between calls.
  Cluster tables;
  std::array<AnyShelf, wire::kObjectKinds> live;
  std::array<std::optional<AnyShelf>, wire::kObjectKinds> staged;  // lists under way
  std::optional<wire::Input> prices;
  wire::JsonParser parser;
  Size in_use;  // after the last compaction
  std::uint64_t generation = 0;
};

namespace {

// Remembers or forgets what is said about an object; whether that is news.
template <typename Note>
bool set_note(std::map<FullName, Note>& notes, const wire::ObjectName& found, Note note) {
  if (note.empty() && notes.empty()) return false;
  FullName name{found.ns, found.name};
  if (note.empty()) return notes.erase(name) > 0;
  Note& place = notes[std::move(name)];
  if (place == note) return false;
  place = std::move(note);
  return true;
}

std::string error_text(const wire::KindInfo& kind, const wire::Decoder& d, const wire::ObjectName& found) {
  return d.error().with(wire::title_of(kind, found.ns, found.name)).message;
}

std::vector<std::string> warnings_of(const wire::KindInfo& kind, wire::Decoder& d,
                                     const wire::ObjectName& found) {
  std::vector<std::string> warnings = d.take_warnings();
  for (std::string& warning : warnings)
    warning = fmt::format("{}: {}", wire::title_of(kind, found.ns, found.name), warning);
  return warnings;
}

}  // namespace

template <typename T>
bool ClusterStore::State::put_object(Shelf<T>& shelf, const wire::KindInfo& kind, wire::Decoder& d,
                                     const wire::ObjectName& found) {
  const Symbol ns = kind.namespaced ? d.intern(found.ns) : Symbol();
  const Symbol name = d.intern(found.name);
  wire::decode_object(d, kind.id, ns, name);
  if (d.failed()) {
    drop_all(tables, static_cast<const T*>(nullptr));
    const bool gone = shelf.remove(key_of(ns, name));
    set_note(shelf.warnings, found, {});
    return set_note(shelf.unreadable, found, error_text(kind, d, found)) || gone;
  }
  bool changed = shelf.put(take_last<T>(tables));
  changed |= set_note(shelf.unreadable, found, std::string());
  changed |= set_note(shelf.warnings, found, warnings_of(kind, d, found));
  return changed;
}

bool ClusterStore::State::put_object(Shelf<PolicyEntry>& shelf, const wire::KindInfo& kind, wire::Decoder& d,
                                     const wire::ObjectName& found) {
  const wire::Value metadata = d.root().get("metadata");
  PolicyEntry entry;
  entry.name = d.intern(found.name);
  entry.object.name = found.name;
  entry.object.uid = wire::text_at(metadata, "uid");
  entry.object.resource_version = wire::text_at(metadata, "resourceVersion");
  entry.object.generation = metadata.get("generation").integer().value_or(0);
  entry.object.dismissed = wire::text_at(metadata.get("annotations"), "temper.codes/dismissed");
  entry.settings = wire::decode_cluster_policy(d, found.name);
  if (d.failed()) {
    entry.object.error = error_text(kind, d, found);
    entry.settings = {};
  }
  bool changed = set_note(shelf.unreadable, found, entry.object.error);
  changed |=
      set_note(shelf.warnings, found, d.failed() ? std::vector<std::string>() : warnings_of(kind, d, found));
  return shelf.put(std::move(entry)) || changed;
}

Result<bool> ClusterStore::State::put(AnyShelf& into, const wire::KindInfo& kind, wire::Value object) {
  if (const auto own = object.get("kind").string(); own && *own != kind.kind)
    return Error{fmt::format("is a {}, not a {}", *own, kind.kind)};
  wire::Decoder d(tables, object);
  const wire::ObjectName found = wire::decode_name(d, kind);
  if (d.failed()) return d.error();
  return std::visit([&](auto& shelf) { return put_object(shelf, kind, d, found); }, into);
}

Result<bool> ClusterStore::State::remove(AnyShelf& from, const wire::KindInfo& kind, wire::Value object) {
  wire::Decoder d(tables, object);
  const wire::ObjectName found = wire::decode_name(d, kind);
  if (d.failed()) return d.error();
  const Symbol ns = kind.namespaced ? d.intern(found.ns) : Symbol();
  return std::visit(
      [&](auto& shelf) {
        bool changed = shelf.remove(key_of(ns, d.intern(found.name)));
        changed |= set_note(shelf.unreadable, found, std::string());
        changed |= set_note(shelf.warnings, found, {});
        return changed;
      },
      from);
}

// All objects go into the lists of one Cluster, shelf after shelf, and come back in the opposite order.
void ClusterStore::State::compact() {
  std::vector<AnyShelf*> shelves;
  shelves.reserve(live.size() + staged.size());
  for (AnyShelf& any : live) shelves.push_back(&any);
  for (auto& any : staged)
    if (any) shelves.push_back(&*any);

  std::vector<std::size_t> counts;
  for (AnyShelf* any : shelves)
    std::visit(
        [&]<typename T>(Shelf<T>& shelf) {
          constexpr const T* kType = nullptr;
          counts.push_back(shelf.objects().size());
          if constexpr (!std::is_same_v<T, PolicyEntry>) {
            make_room(tables, counts.back(), kType);
            for (T& object : shelf.take()) put_last(tables, std::move(object), kType);
          }
        },
        *any);
  tables = compacted(std::move(tables));
  for (std::size_t i = shelves.size(); i-- > 0;)
    std::visit(
        [&]<typename T>(Shelf<T>& shelf) {
          std::vector<T> objects;
          if constexpr (std::is_same_v<T, PolicyEntry>) {
            objects = shelf.take();
            for (PolicyEntry& entry : objects) entry.name = tables.symbols.intern(entry.object.name);
          } else {
            objects.reserve(counts[i]);
            for (std::size_t n = 0; n < counts[i]; ++n) objects.push_back(take_last<T>(tables));
            give_up_room(tables, static_cast<const T*>(nullptr));
          }
          shelf.give_back(std::move(objects));
        },
        *shelves[i]);
  in_use = size();
}

void ClusterStore::State::compact_if_due() {
  const Size now = size();
  const auto due = [&](std::size_t Size::* what) { return now.*what > 2 * (in_use.*what) + kSlack.*what; };
  if (due(&Size::symbols) || due(&Size::symbol_bytes) || due(&Size::pod_specs) || due(&Size::label_sets) ||
      due(&Size::resources))
    compact();
}

ClusterStore::ClusterStore() : state_(std::make_unique<State>()) {}
ClusterStore::~ClusterStore() = default;
ClusterStore::ClusterStore(ClusterStore&&) noexcept = default;
ClusterStore& ClusterStore::operator=(ClusterStore&&) noexcept = default;

void ClusterStore::begin_list(wire::ObjectKind kind) { state_->listed(kind) = empty_shelf(kind); }

Result<wire::PageInfo> ClusterStore::add_page(wire::ObjectKind kind, const std::string& bytes) {
  const wire::KindInfo& known = wire::info(kind);
  TAMP_TRY(const wire::Json page, wire::Json::parse(bytes));
  TAMP_TRY(wire::PageInfo page_info, wire::read_page_info(page.root()));
  if (const auto own = page.root().get("kind").string();
      own && *own != "List" && *own != fmt::format("{}List", known.kind))
    return Error{fmt::format("is a {}, not a {}List", *own, known.kind)};
  const wire::Value items = page.root().get("items");
  if (items.present() && !items.is_array()) return Error{"items: must be a list"};
  if (!state_->listed(kind)) begin_list(kind);
  std::size_t index = 0;
  for (const wire::Value item : items.elements()) {
    if (auto put = state_->put(*state_->listed(kind), known, item); !put)
      return std::move(put).error().with(fmt::format("items[{}]", index));
    ++index;
  }
  state_->compact_if_due();
  return page_info;
}

void ClusterStore::end_list(wire::ObjectKind kind) {
  auto& listed = state_->listed(kind);
  if (!listed) return;
  AnyShelf& shelf = state_->shelf(kind);
  const bool same = std::visit(
      [&](const auto& now) { return now.equals(std::get<std::decay_t<decltype(now)>>(shelf)); }, *listed);
  if (!same) ++state_->generation;
  shelf = std::move(*listed);
  listed.reset();
}

Result<wire::EventInfo> ClusterStore::apply_event(wire::ObjectKind kind, const std::string& line) {
  TAMP_TRY(const wire::Value root, state_->parser.parse(line));
  TAMP_TRY(wire::EventInfo event, wire::read_event_info(root));
  if (event.type == wire::EventInfo::Type::Error || event.type == wire::EventInfo::Type::Bookmark)
    return event;
  const wire::Value object = root.get("object");
  auto changed = event.type == wire::EventInfo::Type::Deleted
                     ? state_->remove(state_->shelf(kind), wire::info(kind), object)
                     : state_->put(state_->shelf(kind), wire::info(kind), object);
  if (!changed) return std::move(changed).error().with("object");
  if (*changed) ++state_->generation;
  state_->listed(kind).reset();
  state_->compact_if_due();
  return event;
}

void ClusterStore::forget_kind(wire::ObjectKind kind) {
  begin_list(kind);
  end_list(kind);
}

Status ClusterStore::set_instance_types(const wire::Input& input) {
  TAMP_CHECK(wire::read_catalogue(state_->tables, input));
  ++state_->generation;
  return success();
}

Status ClusterStore::set_prices(wire::Input input) {
  // Whether a price list can be read does not depend on the cluster that it is for.
  Cluster nothing;
  nothing.finish();
  std::vector<std::string> warnings;
  TAMP_CHECK(wire::apply_prices(nothing, input, warnings));
  state_->prices = std::move(input);
  ++state_->generation;
  return success();
}

std::uint64_t ClusterStore::generation() const { return state_->generation; }

wire::Reading ClusterStore::view() const {
  wire::Reading reading;
  reading.cluster = state_->tables;
  for (const AnyShelf& any : state_->live)
    std::visit(
        [&]<typename T>(const Shelf<T>& shelf) {
          constexpr const T* kType = nullptr;
          make_room(reading.cluster, shelf.objects().size(), kType);
          for (const T& object : shelf.objects()) put_last(reading.cluster, object, kType);
          for (const auto& [name, warnings] : shelf.warnings)
            reading.warnings.insert(reading.warnings.end(), warnings.begin(), warnings.end());
        },
        any);
  wire::finish_reading(reading);
  if (state_->prices) {
    const Status applied = wire::apply_prices(reading.cluster, *state_->prices, reading.warnings);
    if (!applied) reading.warnings.push_back(applied.error().message);
  }
  return reading;
}

std::vector<UnreadableObject> ClusterStore::unreadable() const {
  std::vector<UnreadableObject> result;
  for (std::size_t i = 0; i < wire::kObjectKinds; ++i)
    std::visit(
        [&](const auto& shelf) {
          for (const auto& [name, message] : shelf.unreadable)
            result.push_back({static_cast<wire::ObjectKind>(i), name.first, name.second, message});
        },
        state_->live[i]);
  return result;
}

std::vector<PolicyObject> ClusterStore::policies() const {
  std::vector<PolicyObject> result;
  for (const PolicyEntry& entry :
       std::get<Shelf<PolicyEntry>>(state_->shelf(wire::ObjectKind::TemperPolicy)).objects())
    result.push_back(entry.object);
  std::sort(result.begin(), result.end(),
            [](const PolicyObject& a, const PolicyObject& b) { return a.name < b.name; });
  return result;
}

void ClusterStore::compact() { state_->compact(); }

ClusterStore::Size ClusterStore::size() const { return state_->size(); }

}  // namespace tamp::store
