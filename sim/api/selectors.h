// labelSelector and fieldSelector of lists and watches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sim/api/backend.h"

namespace tamp::world::api {

class LabelFilter {
 public:
  // "a=b,c!=d,e in (x,y),f notin (z),g,!h,n>3". The error is the server's message.
  static Result<LabelFilter> parse(std::string_view text);
  bool selects(const Tree& labels) const;
  bool everything() const { return requirements_.empty(); }

 private:
  enum class Op : std::uint8_t { In, NotIn, Exists, DoesNotExist, Greater, Less };
  struct Requirement {
    std::string key;
    Op op;
    std::vector<std::string> values;
  };
  std::vector<Requirement> requirements_;
};

class FieldFilter {
 public:
  // "metadata.name=x,status.phase!=Running". Which fields there are depends on the resource.
  static Result<FieldFilter> parse(const Backend& backend, const Resource& resource, std::string_view text);
  bool selects(const Tree& object) const;
  bool everything() const { return terms_.empty(); }
  // The name that it selects alone, if it does.
  std::string_view name() const;

 private:
  struct Term {
    std::string field;
    std::vector<std::string> path;
    bool equal;
    std::string value;
  };
  std::vector<Term> terms_;
};

struct Filter {
  LabelFilter labels;
  FieldFilter fields;
  bool selects(const Tree& object) const {
    return labels.selects(object["metadata"]["labels"]) && fields.selects(object);
  }
  bool everything() const { return labels.everything() && fields.everything(); }
};

}  // namespace tamp::world::api
