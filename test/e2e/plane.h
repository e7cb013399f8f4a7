// The real control plane that a test finds in its environment (run.py), through our own client, one call at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "net/client.h"
#include "net/curl_transport.h"
#include "net/real_loop.h"
#include "wire/value.h"

namespace tamp::e2e {

// A variable of the environment; the test ends if it is not set.
std::string environment(const std::string& name);

// Asks every 100 ms until it holds. False after the time is over.
bool wait_until(Duration within, const std::function<bool()>& holds);

struct Finished {
  int status = -1;
  std::string out;  // standard output
  std::string err;
};
// Runs a program to its end, without a shell.
Finished run(const std::vector<std::string>& command, const std::string& input = {});

// A JSON text, parsed. The test ends if it is none.
wire::Json parse(const std::string& text);
// The text or number at a path of keys; empty if there is none.
std::string text_at(wire::Value value, std::initializer_list<std::string_view> path);

// As one user of the API server.
class Session {
 public:
  explicit Session(const std::string& kubeconfig);

  net::Reply get(const net::ResourceType& type, const std::string& ns, const std::string& name);
  net::Reply list(const net::ResourceType& type, const net::ListOptions& options = {});
  net::Reply create(const net::ResourceType& type, const std::string& ns, const std::string& body);
  net::Reply patch(const net::ResourceType& type, const std::string& ns, const std::string& name,
                   const std::string& subresource, net::PatchType patch_type, const std::string& body);
  net::Reply apply(const net::ResourceType& type, const std::string& ns, const std::string& name,
                   const std::string& body);
  net::Reply remove(const net::ResourceType& type, const std::string& ns, const std::string& name);
  net::Reply evict(const std::string& ns, const std::string& pod, const net::EvictOptions& options);

  net::RealLoop& loop() { return loop_; }
  net::Client& client() { return client_; }

 private:
  net::Reply wait_for(const std::function<net::Pending(net::Done)>& call);

  net::RealLoop loop_;
  net::CurlTransport transport_;
  net::Client client_;
};

// A command of controlplane.py: "kill kube-apiserver". Its answer; the test ends if it fails.
std::string control(const std::string& words);
// kubectl as administrator; the test ends if it fails.
std::string kubectl(const std::vector<std::string>& arguments, const std::string& input = {});
// A kubeconfig with a token of Tamp's own account that lives for so long. Asked for again under the same name, only the
// token is another; in the audit log its user has the credential-id JTI=NAME.
std::string account_kubeconfig(int seconds = 3600, const std::string& name = "tamp-account");

// Everything in deploy/ but the Deployment itself, Karpenter's definitions with our two fields, and the webhook led to
// `webhook_port` on this machine (0: removed, so that nobody waits for it). Done once for each control plane.
void install(int webhook_port = 0);

}  // namespace tamp::e2e
