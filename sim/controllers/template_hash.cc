#include "sim/controllers/template_hash.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

namespace tamp::world {
namespace {

class Fnv1a {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) add(static_cast<unsigned char>(c));
    add(static_cast<unsigned char>(0));
  }
  void add(unsigned char byte) { sum_ = (sum_ ^ byte) * 16777619u; }
  std::uint32_t sum() const { return sum_; }

 private:
  std::uint32_t sum_ = 2166136261u;
};

void add(Fnv1a& hash, const wire::Tree& tree) {
  hash.add(static_cast<unsigned char>(tree.kind()));
  switch (tree.kind()) {
    case wire::Tree::Kind::Null:
      break;
    case wire::Tree::Kind::Boolean:
      hash.add(static_cast<unsigned char>(tree.boolean()));
      break;
    case wire::Tree::Kind::Integer:
    case wire::Tree::Kind::Number:
      hash.add(fmt::format("{}", tree.number()));
      break;
    case wire::Tree::Kind::String:
      hash.add(tree.string());
      break;
    case wire::Tree::Kind::Array:
      for (const auto& element : tree.elements()) add(hash, element);
      break;
    case wire::Tree::Kind::Object:
      for (const auto& member : tree.members()) {
        hash.add(member.key);
        add(hash, member.value);
      }
      break;
  }
  hash.add(static_cast<unsigned char>(0xff));
}

}  // namespace

std::string template_hash(const wire::Tree& pod_template, std::int64_t collisions) {
  Fnv1a hash;
  add(hash, pod_template);
  if (collisions > 0) hash.add(fmt::format("{}", collisions));
  // Without vowels and look-alikes, so that no bad word comes of it.
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = fmt::format("{}", hash.sum());
  for (char& c : name) c = kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  return name;
}

}  // namespace tamp::world
