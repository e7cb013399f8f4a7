// An API server of a test's own making behind a port, and a kubeconfig that leads there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/http_server.h"

namespace tamp::cli {

class HttpCluster {
 public:
  // `answer` is asked one request at a time, on a thread of the server.
  explicit HttpCluster(std::function<net::HttpResponse(const net::HttpRequest&)> answer) {
    std::filesystem::create_directories(directory_);
    auto started = net::HttpServer::start(
        {},
        [this, answer = std::move(answer)](const net::HttpRequest& request, const net::Responder& respond) {
          const std::lock_guard lock(mutex_);
          net::HttpResponse response = answer(request);
          response.content_type = "application/json";
          respond(std::move(response));
        });
    EXPECT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    std::ofstream(kubeconfig_) << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                               << "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:"
                               << server_->port() << "'}}]\n"
                               << "users: [{name: u, user: {}}]\n"
                               << "contexts: [{name: c, context: {cluster: c, user: u}}]\n";
  }
  ~HttpCluster() { std::filesystem::remove_all(directory_); }
  HttpCluster(const HttpCluster&) = delete;
  HttpCluster& operator=(const HttpCluster&) = delete;

  const std::string& kubeconfig() const { return kubeconfig_; }

  static net::HttpResponse json(std::string body, int status = 200) {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }
  static net::HttpResponse refuse(int status, const std::string& reason) {
    return json(R"({"kind":"Status","status":"Failure","code":)" + std::to_string(status) + R"(,"reason":")" +
                    reason + R"(","message":"no"})",
                status);
  }

 private:
  std::mutex mutex_;
  const std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) / ("tamp-http-cluster-" + std::to_string(::getpid()));
  const std::string kubeconfig_ = (directory_ / "config").string();
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace tamp::cli
