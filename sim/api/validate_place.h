// Where in an object a rule looks, and what it finds there. A place costs nothing until somebody asks for its text: most objects
// have no problems.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sim/api/validate.h"

namespace tamp::world::api {

// A chain towards the root, on the stack: REQUIRES that the place above lives as long.
class Place {
 public:
  explicit Place(std::string_view root) : name_(root) {}
  Place child(std::string_view name) const { return Place(this, How::Child, name, 0); }
  Place at(std::size_t index) const { return Place(this, How::Index, {}, index); }
  Place key(std::string_view key) const { return Place(this, How::Key, key, 0); }

  std::string text() const {
    std::string out;
    append(out);
    return out;
  }

 private:
  enum class How : std::uint8_t { Child, Index, Key };
  Place(const Place* above, How how, std::string_view name, std::size_t index)
      : above_(above), name_(name), index_(index), how_(how) {}
  void append(std::string& out) const {
    if (above_ != nullptr) above_->append(out);
    switch (how_) {
      case How::Child:
        out.append(out.empty() ? "" : ".").append(name_);
        return;
      case How::Index:
        out.append("[").append(std::to_string(index_)).append("]");
        return;
      case How::Key:
        out.append("[").append(name_).append("]");
        return;
    }
  }
  const Place* above_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  How how_ = How::Child;
};

class Findings {
 public:
  explicit Findings(FieldProblems& problems) : problems_(problems) {}

  void required(const Place& place, std::string_view why = {}) {
    add("FieldValueRequired", place,
        std::string("Required value").append(why.empty() ? "" : ": ").append(why));
  }
  void invalid(const Place& place, const Tree& value, std::string_view why) {
    add("FieldValueInvalid", place, "Invalid value: " + wire::to_json(value) + ": " + std::string(why));
  }
  void forbidden(const Place& place, std::string_view why) {
    add("FieldValueForbidden", place, "Forbidden: " + std::string(why));
  }
  void duplicate(const Place& place, const Tree& value) {
    add("FieldValueDuplicate", place, "Duplicate value: " + wire::to_json(value));
  }
  void not_found(const Place& place, const Tree& value) {
    add("FieldValueNotFound", place, "Not found: " + wire::to_json(value));
  }
  void too_long(const Place& place, std::int64_t most) {
    add("FieldValueTooLong", place, "Too long: may not be more than " + std::to_string(most) + " bytes");
  }
  void too_many(const Place& place, std::size_t count, std::size_t most) {
    add("FieldValueTooMany", place,
        "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(most) + " items");
  }
  // `supported`: "A, B"
  void not_supported(const Place& place, const Tree& value, std::string_view supported) {
    add("FieldValueNotSupported", place,
        "Unsupported value: " + wire::to_json(value) + ": supported values: " + std::string(supported));
  }
  std::size_t count() const { return problems_.size(); }
  FieldProblems& problems() { return problems_; }

 private:
  void add(std::string_view reason, const Place& place, std::string message) {
    problems_.push_back({std::string(reason), place.text(), std::move(message)});
  }
  FieldProblems& problems_;
};

}  // namespace tamp::world::api
