#include "sim/api/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace tamp::world::api {

Pattern::Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

Result<Pattern> Pattern::compile(std::string_view expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<const re2::RE2>(expression, options);
  if (!compiled->ok()) {
    std::string problem("the regular expression ");
    problem.append(expression).append(" is not understood: ").append(compiled->error());
    return Error{std::move(problem)};
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const { return re2::RE2::PartialMatch(text, *compiled_); }

std::optional<std::string_view> Pattern::find(std::string_view text) const {
  re2::StringPiece found;
  if (!compiled_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &found, 1)) return {};
  return std::string_view(found.data(), found.size());
}

const std::string& Pattern::text() const { return compiled_->pattern(); }

}  // namespace tamp::world::api
