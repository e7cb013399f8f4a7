#include "wire/same_content.h"

#include <algorithm>
#include <vector>

namespace tamp::wire {
namespace {

// Sorted by key; of equal keys the last one, as Value::get() has it. Sorted because foreign objects may have very many.
std::vector<Field> sorted_fields(Value object) {
  std::vector<Field> fields;
  for (const Field field : object.fields()) fields.push_back(field);
  std::stable_sort(fields.begin(), fields.end(),
                   [](const Field& a, const Field& b) { return a.key < b.key; });
  std::vector<Field> unique;
  for (const Field& field : fields) {
    if (!unique.empty() && unique.back().key == field.key) unique.pop_back();
    unique.push_back(field);
  }
  std::erase_if(unique, [](const Field& field) { return !field.value.present(); });
  return unique;
}

bool same_fields(Value a, Value b) {
  const auto left = sorted_fields(a), right = sorted_fields(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Field& l, const Field& r) {
    return l.key == r.key && same_content(l.value, r.value);
  });
}

bool same_elements(Value a, Value b) {
  auto left = a.elements().begin(), right = b.elements().begin();
  const auto left_end = a.elements().end(), right_end = b.elements().end();
  for (; left != left_end && right != right_end; ++left, ++right)
    if (!same_content(*left, *right)) return false;
  return left == left_end && right == right_end;
}

}  // namespace

bool same_content(Value a, Value b) {
  if (!a.present() || !b.present()) return a.present() == b.present();
  if (a.is_number() && b.is_number()) {
    const auto left = a.integer(), right = b.integer();
    return left && right ? left == right : !left && !right && a.number_text() == b.number_text();
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::Boolean:
      return a.boolean() == b.boolean();
    case Value::Kind::String:
      return a.string() == b.string();
    case Value::Kind::Array:
      return same_elements(a, b);
    case Value::Kind::Object:
      return same_fields(a, b);
    default:
      return true;
  }
}

}  // namespace tamp::wire
