// Regular expressions in the syntax of RE2 and of Go's regexp package, which the API server uses: matched in
// time linear in the text, without backreferences and lookaround, unanchored unless the expression says so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace re2 {
class RE2;
}

namespace tamp::world::api {

class Pattern {
 public:
  // An error if it is not an expression of that syntax.
  static Result<Pattern> compile(std::string_view expression);
  // Somewhere in the text.
  bool matches(std::string_view text) const;
  // The first match, and of those that begin there the one that Go's regexp finds.
  std::optional<std::string_view> find(std::string_view text) const;
  const std::string& text() const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled);

  // RE2 cannot be copied, and a cluster, with the schemas in it, can.
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace tamp::world::api
