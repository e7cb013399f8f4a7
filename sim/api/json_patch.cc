// JSON patch as API servers apply it. Where they are laxer than RFC 6902: `replace` of a member that is not there adds it,
// an index may be negative (from the end), what a path has before its first '/' does not count, and an operation
// without a value means null.
#include <charconv>
#include <optional>
#include <vector>

#include "sim/api/go_text.h"
#include "sim/api/patch.h"

namespace tamp::world::api {
namespace {

constexpr std::size_t kMostOperations = 10'000;
constexpr std::size_t kMostCopied =
    3 * 1024 * 1024;  // bytes of JSON in one patch: copies of copies would grow without end

PatchOutcome malformed(std::string why) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(why)};
}
PatchOutcome does_not_apply() {
  return {.code = 422,
          .reason = "Invalid",
          .message = "the server rejected our request due to an error in our request"};
}

// `~1` is '/', `~0` is '~'; anything else after a '~' stays as it is.
std::string unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    out += escape ? (token[i + 1] == '1' ? '/' : '~') : token[i];
    i += escape;
  }
  return out;
}

std::optional<std::int64_t> read_index(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::int64_t index = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// Where in `size` places an index points; nothing if outside.
std::optional<std::size_t> place(std::string_view text, std::size_t size) {
  auto index = read_index(text);
  if (!index) return std::nullopt;
  if (*index < 0) *index += static_cast<std::int64_t>(size);
  if (*index < 0 || *index >= static_cast<std::int64_t>(size)) return std::nullopt;
  return static_cast<std::size_t>(*index);
}

// A container and the name of something in it, which need not be there.
struct Spot {
  Tree* container = nullptr;
  std::string key = {};

  // nullptr: a member that is not there. Nothing: an index that cannot be.
  std::optional<Tree*> get() const {
    if (container->is_object()) return container->find(key);
    auto index = place(key, container->size());
    if (!index) return std::nullopt;
    return &container->elements()[*index];
  }
  bool add(Tree value) const {
    if (container->is_object()) {
      container->set(key, std::move(value));
      return true;
    }
    auto& elements = container->elements();
    auto index = key == "-" ? std::optional(elements.size()) : place(key, elements.size() + 1);
    if (!index) return false;
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return true;
  }
  bool remove() const {
    if (container->is_object()) return container->erase(key);
    auto index = place(key, container->size());
    if (!index) return false;
    container->elements().erase(container->elements().begin() + static_cast<std::ptrdiff_t>(*index));
    return true;
  }
};

std::optional<Spot> find(Tree& document, std::string_view path) {
  std::size_t slash = path.find('/');
  if (slash == path.npos) return std::nullopt;
  Spot spot{.container = &document};
  for (path.remove_prefix(slash + 1);; path.remove_prefix(slash + 1)) {
    if (!spot.container->is_object() && !spot.container->is_array()) return std::nullopt;
    slash = path.find('/');
    spot.key = unescape(path.substr(0, slash));
    if (slash == path.npos) return spot;
    auto next = spot.get();
    if (!next || !*next || (*next)->is_null()) return std::nullopt;
    spot.container = *next;
  }
}

// Unlike ==, tells 1 from 1.0.
bool same(const Tree& a, const Tree& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same(a.elements()[i], b.elements()[i])) return false;
    return true;
  }
  if (!a.is_object()) return a == b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto &x = a.members()[i], &y = b.members()[i];
    if (x.key != y.key || !same(x.value, y.value)) return false;
  }
  return true;
}

bool test(Tree& document, std::string_view path, const Tree& value) {
  if (path.empty()) return same(document, value);
  auto spot = find(document, path);
  if (!spot) return false;
  auto there = spot->get();
  if (!there) return false;
  return *there ? same(**there, value) : value.is_null();
}

bool replace(Tree& document, std::string_view path, const Tree& value) {
  if (path.empty()) {
    if (!value.is_object() && !value.is_array()) return false;
    document = value;
    return true;
  }
  auto spot = find(document, path);
  if (!spot) return false;
  auto there = spot->get();
  if (!there) return false;
  if (*there)
    **there = value;
  else
    spot->add(value);
  return true;
}

// What is at `from`; a member that is not there is null to a copy.
std::optional<Tree> taken_from(Tree& document, const Tree& operation, bool move) {
  if (!operation.has("from")) return std::nullopt;
  auto spot = find(document, operation["from"].string());
  if (!spot) return std::nullopt;
  auto there = spot->get();
  if (!there) return std::nullopt;
  Tree value = *there ? **there : Tree();
  if (move && !spot->remove()) return std::nullopt;
  return value;
}

bool apply(Tree& document, const Tree& operation, std::size_t& copied) {
  std::string_view op = operation["op"].string(), path = operation["path"].string();
  const Tree& value = operation["value"];
  if (!operation["path"].is_string()) return false;
  if (op == "test") return test(document, path, value);
  if (op == "replace") return replace(document, path, value);
  Tree addition = value;
  if (op == "move" || op == "copy") {
    auto taken = taken_from(document, operation, op == "move");
    if (!taken) return false;
    if (op == "copy") copied += wire::to_json(*taken).size();
    if (copied > kMostCopied) return false;
    addition = std::move(*taken);
  } else if (op != "add" && op != "remove") {
    return false;
  }
  auto spot = find(document, path);
  if (!spot) return false;
  return op == "remove" ? spot->remove() : spot->add(std::move(addition));
}

// What keeps a patch from being a list of operations at all; empty if nothing.
std::string flaw(const Tree& patch) {
  const std::string prefix = "error decoding patch: json: cannot unmarshal ";
  if (patch.is_null()) return {};
  if (!patch.is_array())
    return prefix + std::string(json_type(patch)) + " into Go value of type []handlers.jsonPatchOp";
  for (const Tree& operation : patch.elements()) {
    if (operation.is_null()) continue;
    if (!operation.is_object())
      return prefix + std::string(json_type(operation)) + " into Go value of type handlers.jsonPatchOp";
    for (const char* name : {"op", "path", "from"}) {
      const Tree& text = operation[name];
      if (!text.is_null() && !text.is_string())
        return prefix + std::string(json_type(text)) + " into Go struct field jsonPatchOp." + name +
               " of type string";
    }
  }
  return {};
}

}  // namespace

PatchOutcome apply_json_patch(const Tree& object, const Tree& patch) {
  if (std::string why = flaw(patch); !why.empty()) return malformed(std::move(why));
  if (patch.size() > kMostOperations)
    return {
        .code = 413,
        .reason = "RequestEntityTooLarge",
        .message = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got " +
                   std::to_string(patch.size())};
  PatchOutcome outcome{.result = object};
  std::size_t copied = 0;
  for (const Tree& operation : patch.elements())
    if (!apply(outcome.result, operation, copied)) return does_not_apply();
  return outcome;
}

}  // namespace tamp::world::api
