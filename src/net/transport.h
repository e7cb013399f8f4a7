// How bytes get to an API server and back. One seam: the program speaks HTTPS (curl_transport.h), the simulation hands the
// same requests to a store in memory. What the bytes mean is the client's business (client.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "net/loop.h"

namespace tamp::net {

enum class Method : std::uint8_t { Get, Post, Put, Patch, Delete };

struct Request {
  Method method = Method::Get;
  std::string target;        // "/api/v1/pods?limit=500": path and query, escaped
  std::string content_type;  // of the body; empty without one
  std::string body;
  std::string accept;  // empty: application/json
  // Where to connect in place of the server, "10.0.0.7:9470" or "[fd00::7]:9470"; TLS still asks for the server's name.
  std::string peer = {};
  std::size_t largest_response = 0;  // bytes; 0: as much as the transport takes
  // For the whole exchange; for a stream, until its first byte and between two of them (0: as long as it likes).
  Duration timeout = Duration::seconds(30);
};

struct Response {
  int status = 0;
  std::string body;
  std::optional<Duration> retry_after;
  std::optional<Time> date = {};  // by the server's own clock, in whole seconds
};

// There is no response.
struct Failure {
  std::string message;
  // The request may have reached the server: it may have been carried out, or may still be.
  bool maybe_done = true;
};

// What came of a request: exactly one of the two is set.
struct Exchange {
  std::optional<Response> response;
  Failure failure;
};

// A response that goes on, as a watch does. Called on the loop, in order: opened (once), data (any number), ended (once).
// A response that is not 200 is not opened: its `ended` carries it whole. Nothing is called after the handle is dropped.
struct StreamSink {
  std::function<void()> opened;
  std::function<void(std::string_view bytes)> data;
  // A stream that was opened and came to its regular end has neither.
  std::function<void(std::optional<Response> refusal, std::optional<Failure> failure)> ended;
};

class ApiTransport {
 public:
  virtual ~ApiTransport() = default;
  // `done` is called once, on the loop, never from within send(). Dropping the handle forgets the answer; whether the
  // server carries the request out is then not known.
  virtual Pending send(Request request, std::function<void(Exchange)> done) = 0;
  virtual Pending stream(Request request, StreamSink sink) = 0;
};

}  // namespace tamp::net
