// A response that goes on: watches, server-sent events. The handler makes a stream, answers with it, and writes to it from any
// thread for as long as it likes; the server sends what was written as chunks.
//
//   HttpStream stream;
//   respond({200, "text/event-stream", "", {}, stream});
//   stream.write("data: hello\n\n");
//
// What waits to be sent is bounded: a client that lets more than `most` bytes pile up, or that takes nothing for the server's
// write timeout, is cut off. A source that can wait looks at waiting() and goes on when on_sent calls.
//
// A handle: copies mean the same stream. Thread-safe. Actions run on a thread of the server or in the call that causes them,
// must not block, and may call the stream.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tamp::net {

class HttpStream {
 public:
  explicit HttpStream(std::size_t most = std::size_t{16} << 20);

  // False if nobody will get it: the client has left or was cut off, the stream has been finished, or the server has stopped.
  bool write(std::string_view bytes);
  // After what has been written, the response ends as it should.
  void finish();

  std::size_t waiting() const;  // bytes written and not yet handed to the connection
  bool closed() const;          // nothing written now will be sent

  // Called whenever everything that was written has been sent.
  void on_sent(std::function<void()> action);
  // Called once, when the client has gone for whatever reason, the server's included; also after finish().
  void on_closed(std::function<void()> action);

  // ---- for the server
  // What to send next. Nothing and not `last`: `wake` is called when there is more.
  struct Piece {
    std::string bytes;
    bool last = false;  // and then the end
    bool cut = false;   // too much waits: the client is to be cut off
  };
  void attach(std::function<void()> wake) const;
  Piece take() const;
  void sent() const;
  void close() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // of the writer and of the connection, whoever stays longer
};

}  // namespace tamp::net
