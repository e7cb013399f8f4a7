#include "controller/autoscaler_reader.h"

#include <utility>

#include "wire/autoscaler_status.h"

namespace tamp::control {
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
  request_ = client_.get(kube::kConfigMaps, codec::kAutoscalerNamespace, codec::kAutoscalerConfigMap,
                         [this](kube::Reply reply) {
                           looked_ = true;
                           if (reply.ok()) {
                             const auto json = codec::Json::parse(reply.body);
                             status_ = json ? codec::read_autoscaler_config_map(json->root()) : std::nullopt;
                           } else if (reply.error->kind == kube::ApiError::Kind::NotFound) {
                             status_.reset();
                           }
                           next_ = loop_.after(kReadAgain, [this] { read(); });
                         });
}

}  // namespace tamp::control
