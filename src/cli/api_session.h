// One command's talk with the API server, with the rights of whoever runs it: asks, waits for the answer, and says in words
// what is missing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "core/result.h"
#include "net/client.h"
#include "net/curl_transport.h"
#include "net/real_loop.h"
#include "wire/tree.h"

namespace tamp::cli {

class ApiSession {
 public:
  static Result<std::unique_ptr<ApiSession>> open(const Options& options,
                                                  const terminal::Environment& environment);
  ApiSession(const net::Access& access);
  ApiSession(const ApiSession&) = delete;
  ApiSession& operator=(const ApiSession&) = delete;

  Result<wire::Tree> get(const net::ResourceType& type, std::string_view ns, std::string_view name);
  // {"items": […]} of all pages.
  Result<wire::Tree> list(const net::ResourceType& type, std::string_view ns = {},
                          const std::string& label_selector = {});
  Result<wire::Tree> create(const net::ResourceType& type, const wire::Tree& object);
  Result<wire::Tree> merge(const net::ResourceType& type, std::string_view name, const wire::Tree& patch);
  // Who asks, as the API server knows them.
  Result<std::string> own_name();

  // The last question was.
  bool refused_as(net::ApiError::Kind kind) const { return refusal_ && refusal_->kind == kind; }
  // The cluster could not be asked, or refused: no mistake in what the user typed.
  bool failed() const { return failed_; }

  void wait(Duration time);
  // By the cluster's clock, as the ages of what it holds are: it may run otherwise than ours, and in the demo it does.
  Time now() const { return loop_.now() + ahead_; }

 private:
  Result<wire::Tree> ask(const std::function<net::Pending(net::Client&, net::Done)>& question,
                         std::string_view verb, const net::ResourceType& type, std::string_view name);

  std::string description_;
  net::RealLoop loop_;
  net::CurlTransport transport_;
  net::Client client_;
  std::optional<net::ApiError> refusal_;
  bool failed_ = false;
  Duration ahead_ = {};  // of the cluster's clock, as far as its whole seconds tell
};

}  // namespace tamp::cli
