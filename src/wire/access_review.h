// Two questions to the API server about somebody who calls us, and its answers: who holds this token (TokenReview), and may they
// do this (SubjectAccessReview)? An answer that does not say yes says no.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

struct Caller {
  std::string user, uid;
  std::vector<std::string> groups;
  // What the authenticator knows besides, as "authentication.kubernetes.io/node-name"; in the order of keys.
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
  bool operator==(const Caller&) const = default;
};

struct TokenVerdict {
  bool authenticated = false;
  Caller caller;                       // of an authenticated one
  std::vector<std::string> audiences;  // those asked for that the token is meant for
};

// No audience: the API server's own.
std::string write_token_review(std::string_view token, const std::vector<std::string>& audiences);
// An error: it is no TokenReview with a status.
Result<TokenVerdict> read_token_review(const std::string& bytes);

// May the caller `verb` this path, which is none of a resource?
std::string write_path_review(const Caller& caller, std::string_view path, std::string_view verb);
// May the caller `verb` objects of this kind, which has no namespaces? An empty name: all of them.
std::string write_resource_review(const Caller& caller, std::string_view verb, std::string_view group,
                                  std::string_view resource, std::string_view name = {});
Result<bool> read_access_review(const std::string& bytes);

}  // namespace tamp::wire
