#include "controller/leader_service.h"

#include <utility>

#include "wire/tree.h"

namespace tamp::controller {
namespace {

using wire::Tree;

constexpr net::ResourceType kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices", true};
constexpr Duration kAfterAnError = Duration::seconds(5);

std::string slice(const LeaderServiceOptions& options) {
  Tree addresses = Tree::array(), endpoints = Tree::array(), ports = Tree::array();
  addresses.append(options.address);
  Tree endpoint =
      Tree::object({{"addresses", std::move(addresses)}, {"conditions", Tree::object({{"ready", true}})}});
  if (!options.pod.empty())
    endpoint.set("targetRef",
                 Tree::object({{"kind", "Pod"}, {"namespace", options.ns}, {"name", options.pod}}));
  endpoints.append(std::move(endpoint));
  ports.append(Tree::object(
      {{"name", options.port_name}, {"port", static_cast<std::int64_t>(options.port)}, {"protocol", "TCP"}}));
  const bool six = options.address.find(':') != std::string::npos;
  return wire::to_json(Tree::object(
      {{"apiVersion", "discovery.k8s.io/v1"},
       {"kind", "EndpointSlice"},
       {"metadata", Tree::object({{"name", options.service},
                                  {"namespace", options.ns},
                                  {"labels", Tree::object({{"kubernetes.io/service-name", options.service},
                                                           {"endpointslice.kubernetes.io/managed-by",
                                                            "temper.codes"}})}})},
       {"addressType", six ? "IPv6" : "IPv4"},
       {"endpoints", std::move(endpoints)},
       {"ports", std::move(ports)}}));
}

}  // namespace

LeaderService::LeaderService(net::Loop& loop, net::Client& client, const Log& log,
                             LeaderServiceOptions options, std::function<bool()> may_write)
    : loop_(loop),
      client_(client),
      log_(log),
      options_(std::move(options)),
      may_write_(std::move(may_write)) {}

void LeaderService::look() {
  timer_ = loop_.after(options_.look_every, [this] { look(); });
  const bool leads = may_write_();
  const bool now = leads && (!led_ || loop_.instant() >= due_);
  led_ = leads;
  if (now) write();
}

void LeaderService::write() {
  due_ = loop_.instant() + options_.write_again;
  request_ = client_.apply(kEndpointSlices, options_.ns, options_.service, "", slice(options_), true,
                           [this](net::Reply reply) {
                             const std::string problem = reply.ok() ? std::string() : reply.error->text();
                             if (!reply.ok()) due_ = loop_.instant() + kAfterAnError;
                             if (problem == problem_) return;
                             problem_ = problem;
                             if (!problem.empty())
                               log_.warn("the dashboard's Service does not lead here",
                                         {{"service", options_.service}, {"error", problem}});
                           });
}

}  // namespace tamp::controller
