// The audit log of the embedded cluster: one line of JSON for every request of a token that has a name, in the words of
// Kubernetes' own log, as far as tests read it.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "core/time.h"
#include "sim/api/server.h"

namespace tamp::e2e {

class AuditLog {
 public:
  explicit AuditLog(const std::string& path) : file_(path, std::ios::app) {}

  // Requests with this token are `user`'s, known by its credential's name.
  void know(const std::string& token, std::string user, std::string credential) {
    known_["Bearer " + token] = {std::move(user), std::move(credential)};
  }
  void write(Time now, const world::api::Request& request, int status);

 private:
  struct Who {
    std::string user, credential;
  };
  std::map<std::string, Who, std::less<>> known_;
  std::ofstream file_;
};

}  // namespace tamp::e2e
