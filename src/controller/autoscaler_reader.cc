#include "controller/autoscaler_reader.h"

#include <utility>

#include "wire/autoscaler_status.h"

namespace tamp::controller {
namespace {

constexpr Duration kReadAgain = Duration::seconds(60);

}  // namespace

void AutoscalerReader::start() {
  if (!std::exchange(running_, true)) read();
}

void AutoscalerReader::stop() {
  running_ = looked_ = false;
  status_.reset();
  request_.cancel();
  next_.cancel();
}

void AutoscalerReader::read() {
  request_ = client_.get(net::kConfigMaps, wire::kAutoscalerNamespace, wire::kAutoscalerConfigMap,
                         [this](net::Reply reply) {
                           looked_ = true;
                           if (reply.ok()) {
                             const auto json = wire::Json::parse(reply.body);
                             status_ = json ? wire::read_autoscaler_config_map(json->root()) : std::nullopt;
                           } else if (reply.error->kind == net::ApiError::Kind::NotFound) {
                             status_.reset();
                           }
                           next_ = loop_.after(kReadAgain, [this] { read(); });
                         });
}

}  // namespace tamp::controller
