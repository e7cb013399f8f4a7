#include "net/curl_transport.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/ascii.h"
#include "net/credential_desk.h"
#include "net/delivery.h"
#include "net/threads.h"
#include "wire/base64.h"

namespace tamp::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kNever = Clock::time_point::max();
constexpr long kConnectSeconds = 30;
// API servers close a connection that was idle for 90 s; one that is about to be closed is better not used.
constexpr long kIdleConnectionSeconds = 60;
// Kept connections, those in use included.
constexpr long kKeptConnections = 64;
// A peer that vanished is noticed after half a minute or so, also where a stream has no timeout.
constexpr long kKeepAliveSeconds = 15;
constexpr long kReadBuffer = 128L << 10;

template <auto free>
struct Deleter {
  template <typename T>
  void operator()(T* thing) const {
    free(thing);
  }
};
using Easy = std::unique_ptr<CURL, Deleter<curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Deleter<curl_multi_cleanup>>;
using TextList = std::unique_ptr<curl_slist, Deleter<curl_slist_free_all>>;
using Url = std::unique_ptr<CURLU, Deleter<curl_url_cleanup>>;
using Text = std::unique_ptr<char, Deleter<curl_free>>;

void append(TextList& list, const std::string& text) {
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) return;
  (void)list.release();
  list.reset(longer);
}

// What the API server is called, and where it is, if these differ (tls-server-name). To check a certificate against a
// name, libcurl must find that name in the URL; it is then told where to connect in its place.
struct Place {
  std::string url;         // without a slash at its end
  std::string connect_to;  // empty: where the URL says
  std::string host;        // of the Host header; empty: as in the URL
};

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const Text owned(text);
  return text;
}

Place place_of(const Access& access) {
  Place place{access.server, {}, {}};
  if (access.tls_server_name.empty()) return place;
  const Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, access.server.c_str(), 0) != CURLUE_OK) return place;
  const std::string host = part_of(url.get(), CURLUPART_HOST);
  const std::string port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (curl_url_set(url.get(), CURLUPART_HOST, access.tls_server_name.c_str(), 0) != CURLUE_OK) return place;
  place.url = part_of(url.get(), CURLUPART_URL);
  while (place.url.ends_with('/')) place.url.pop_back();
  place.connect_to = fmt::format("{}:{}:{}:{}", access.tls_server_name, port, host, port);
  const std::string said = part_of(url.get(), CURLUPART_PORT);
  place.host = said.empty() ? host : host + ":" + said;
  return place;
}

const char* name_of(Method method) {
  constexpr std::array<const char*, 5> kNames = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  return kNames[static_cast<std::size_t>(method)];
}

// RFC 9110, 10.2.3: seconds, or a date.
std::optional<Duration> parse_retry_after(const std::string& text) {
  constexpr std::int64_t kMost = 1'000'000'000;  // three decades; keeps nanoseconds from overflowing
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && stop == end) {
    if (seconds < 0) return std::nullopt;
    return Duration::seconds(std::min(seconds, kMost));
  }
  const std::int64_t date = curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return Duration::seconds(std::clamp(date - now, std::int64_t{0}, kMost));
}

std::optional<Time> parse_date(const std::string& text) {
  const std::int64_t date = curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return Time{} + Duration::seconds(date);
}

// What a line of a response's head says, if it is the one of that (lower-case) name.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  const bool named = line.size() > name.size() && line[name.size()] == ':' &&
                     std::equal(name.begin(), name.end(), line.begin(),
                                [](char expected, char c) { return expected == lower(c); });
  if (!named) return std::nullopt;
  const std::string_view rest = line.substr(name.size() + 1);
  const auto begin = rest.find_first_not_of(" \t"), end = rest.find_last_not_of(" \t\r\n");
  if (begin == std::string_view::npos || begin > end) return std::string_view();
  return rest.substr(begin, end - begin + 1);
}

// One request on its way. Belongs to the wire's thread.
struct Transfer {
  std::uint64_t id = 0;
  Request request;
  std::shared_ptr<Delivery> delivery;
  Clock::time_point deadline = kNever;

  bool waits_for_credentials = false;
  SharedCredentials credentials;
  // After a 401: what was refused and how. The request is repeated once.
  SharedCredentials refused;
  Response refusal;

  Easy easy;
  TextList headers, connect_to;
  std::array<char, CURL_ERROR_SIZE> error{};
  std::string problem;  // ours, in place of libcurl's
  bool connected = false;
  std::size_t sent = 0;  // of the request's body
  std::size_t head = 0;  // bytes of the response's head
  std::string retry_after, date;
  int status = 0;
  bool opened = false;
  std::string body;

  void start_deadline() {
    if (request.timeout <= Duration{}) return;
    const auto now = Clock::now();
    const auto most = std::chrono::duration_cast<std::chrono::nanoseconds>(kNever - now).count();
    deadline = now + std::chrono::nanoseconds(std::min(request.timeout.ns, most));
  }
};

}  // namespace

class CurlTransport::Wire : public std::enable_shared_from_this<Wire> {
 public:
  explicit Wire(const Access& access);
  ~Wire();

  // On the loop.
  Pending begin(Request request, std::shared_ptr<Delivery> delivery);

 private:
  struct Inbox {
    std::vector<std::unique_ptr<Transfer>> arrivals;
    std::vector<std::uint64_t> called_off;
    std::vector<std::uint64_t> drained;  // paused streams that may go on
    bool closing = false;
  };
  template <typename F>
  void tell(F change);

  // The rest on the wire's thread.
  void run();
  void admit(Transfer& transfer);
  void go_on_with(const Result<SharedCredentials>& outcome);
  void start(Transfer& transfer, const SharedCredentials& credentials);
  void set_options(Transfer& transfer);
  void set_trust(CURL* easy, const Credentials& credentials);
  void set_body(Transfer& transfer);
  void finish(Transfer& transfer, CURLcode code);
  void respond(Transfer& transfer, Response response);
  void fail(Transfer& transfer, std::string message);
  void conclude(Transfer& transfer, std::optional<Response> response, std::optional<Failure> failure);
  void release(Transfer& transfer);
  void expire();
  int wait_ms() const;
  void resume(std::uint64_t id);
  std::size_t pass_on(Transfer& transfer, std::string_view bytes);

  static std::size_t on_head(char* data, std::size_t size, std::size_t count, void* user);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user);
  static std::size_t on_upload(char* data, std::size_t size, std::size_t count, void* user);
  static int on_connected(void* user, char*, char*, int, int);

  // What a callback of libcurl is given.
  struct Running {
    Wire* wire = nullptr;
    std::unique_ptr<Transfer> transfer;
  };

  const Access access_;
  const Place place_;
  const Multi multi_;        // before the desk, whose thread wakes it
  std::uint64_t begun_ = 0;  // loop only

  std::mutex inbox_mutex_;
  Inbox inbox_;  // guarded by inbox_mutex_

  CredentialDesk desk_;
  std::map<std::uint64_t, Running> running_;
  std::thread thread_;
};

CurlTransport::Wire::Wire(const Access& access)
    : access_(access),
      place_(place_of(access)),
      multi_([] {
        static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        assert(ready == CURLE_OK);
        (void)ready;
        return Multi(curl_multi_init());
      }()),
      desk_(access.credentials, access.source, [this] { curl_multi_wakeup(multi_.get()); }) {
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kKeptConnections);
  thread_ = start_quiet_thread([this] { run(); });
}

CurlTransport::Wire::~Wire() {
  tell([](Inbox& inbox) { inbox.closing = true; });
  thread_.join();
  for (auto& [id, running] : running_) release(*running.transfer);
  running_.clear();
}

template <typename F>
void CurlTransport::Wire::tell(F change) {
  {
    const std::lock_guard lock(inbox_mutex_);
    change(inbox_);
  }
  curl_multi_wakeup(multi_.get());
}

Pending CurlTransport::Wire::begin(Request request, std::shared_ptr<Delivery> delivery) {
  auto transfer = std::make_unique<Transfer>();
  const std::uint64_t id = ++begun_;
  transfer->id = id;
  transfer->request = std::move(request);
  transfer->delivery = delivery;
  transfer->start_deadline();
  tell([&](Inbox& inbox) { inbox.arrivals.push_back(std::move(transfer)); });
  return Pending([wire = weak_from_this(), id, delivery = std::move(delivery)] {
    if (!delivery->call_off()) return;
    if (const auto alive = wire.lock()) alive->tell([id](Inbox& inbox) { inbox.called_off.push_back(id); });
  });
}

void CurlTransport::Wire::run() {
  for (;;) {
    Inbox inbox;
    {
      const std::lock_guard lock(inbox_mutex_);
      std::swap(inbox, inbox_);
    }
    if (inbox.closing) return;
    for (auto& arrival : inbox.arrivals) {
      Running& running = running_[arrival->id];
      running.wire = this;
      running.transfer = std::move(arrival);
      admit(*running.transfer);
    }
    for (const std::uint64_t id : inbox.called_off)
      if (const auto found = running_.find(id); found != running_.end()) {
        release(*found->second.transfer);
        running_.erase(found);
      }
    for (const std::uint64_t id : inbox.drained) resume(id);
    if (const auto outcome = desk_.collect()) go_on_with(*outcome);

    int active = 0;
    curl_multi_perform(multi_.get(), &active);
    // A message does not survive what is done about it, so they are taken out first.
    std::vector<std::pair<Running*, CURLcode>> ended;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Running* running = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &running);
      ended.emplace_back(running, message->data.result);
    }
    for (const auto& [running, code] : ended) finish(*running->transfer, code);
    expire();
    curl_multi_poll(multi_.get(), nullptr, 0, wait_ms(), nullptr);
  }
}

void CurlTransport::Wire::admit(Transfer& transfer) {
  if (const SharedCredentials credentials = desk_.at_hand())
    start(transfer, credentials);
  else
    transfer.waits_for_credentials = true;
}

void CurlTransport::Wire::go_on_with(const Result<SharedCredentials>& outcome) {
  std::vector<Transfer*> waiting;
  for (auto& [id, running] : running_)
    if (running.transfer->waits_for_credentials) waiting.push_back(running.transfer.get());
  for (Transfer* transfer : waiting) {
    transfer->waits_for_credentials = false;
    if (outcome)
      start(*transfer, *outcome);
    else if (transfer->refused)
      respond(*transfer, std::move(transfer->refusal));
    else
      fail(*transfer, outcome.error().message);
  }
}

void CurlTransport::Wire::start(Transfer& transfer, const SharedCredentials& credentials) {
  if (transfer.refused && *transfer.refused == *credentials)
    return respond(transfer, std::move(transfer.refusal));
  transfer.credentials = credentials;
  transfer.easy.reset(curl_easy_init());
  if (!transfer.easy) return fail(transfer, "out of memory");
  set_options(transfer);
  if (const CURLMcode code = curl_multi_add_handle(multi_.get(), transfer.easy.get()); code != CURLM_OK)
    fail(transfer, curl_multi_strerror(code));
}

void CurlTransport::Wire::set_options(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  const Request& request = transfer.request;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &running_[transfer.id]);
  curl_easy_setopt(easy, CURLOPT_URL, (place_.url + request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "tamp/" TAMP_VERSION);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error.data());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kIdleConnectionSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReadBuffer);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Lists compress to a tenth; a watch is not compressed by API servers, and must come as it is sent.
  if (!transfer.delivery->streaming()) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (!access_.proxy_url.empty()) curl_easy_setopt(easy, CURLOPT_PROXY, access_.proxy_url.c_str());
  // An empty name and port stand for any.
  const std::string connect_to = request.peer.empty() ? place_.connect_to : "::" + request.peer;
  if (!connect_to.empty()) {
    append(transfer.connect_to, connect_to);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transfer.connect_to.get());
  }
  set_trust(easy, *transfer.credentials);

  TextList& headers = transfer.headers;
  append(headers, "Accept: " + (request.accept.empty() ? "application/json" : request.accept));
  if (!place_.host.empty()) append(headers, "Host: " + place_.host);
  const Credentials& credentials = *transfer.credentials;
  if (!credentials.token.empty())
    append(headers, "Authorization: Bearer " + credentials.token);
  else if (!credentials.user.empty())
    append(headers,
           "Authorization: Basic " + wire::encode_base64(credentials.user + ":" + credentials.password));
  if (!request.content_type.empty()) append(headers, "Content-Type: " + request.content_type);
  append(headers, "Expect:");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());

  set_body(transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Wire::on_head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &running_[transfer.id]);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Wire::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &running_[transfer.id]);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Wire::on_connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &running_[transfer.id]);
}

void CurlTransport::Wire::set_trust(CURL* easy, const Credentials& credentials) {
  const auto blob = [](const std::string& text) {
    return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  };
  if (access_.insecure_skip_tls_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!access_.certificate_authority.empty()) {
    const curl_blob authority = blob(access_.certificate_authority);
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &authority);
    // The blob takes the place of the system's bundle, but not of its directory.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  if (credentials.certificate.empty()) return;
  const curl_blob certificate = blob(credentials.certificate), key = blob(credentials.key);
  curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
  curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  // An encrypted key is an error, not a question at a terminal.
  curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
}

// libcurl sends a request again by itself when a kept connection dies before the first byte of an answer. For anything
// but a GET that must not be: a body from a callback that cannot be rewound prevents it, and where there is no body, a
// fresh connection does.
void CurlTransport::Wire::set_body(Transfer& transfer) {
  const Request& request = transfer.request;
  CURL* easy = transfer.easy.get();
  if (request.method == Method::Get) return;
  if (request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    if (request.method != Method::Delete) curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
  } else {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Wire::on_upload);
    curl_easy_setopt(easy, CURLOPT_READDATA, &running_[transfer.id]);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, name_of(request.method));
}

// The last moment to hold a request back. What was wanted before the process was frozen must not be sent when it goes on:
// whoever wanted it may have been replaced since.
int CurlTransport::Wire::on_connected(void* user, char*, char*, int, int) {
  Transfer& transfer = *static_cast<Running*>(user)->transfer;
  if (Clock::now() >= transfer.deadline) {
    transfer.problem = "not sent within " + format_duration(transfer.request.timeout);
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.connected = true;
  return CURL_PREREQFUNC_OK;
}

std::size_t CurlTransport::Wire::on_upload(char* data, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Running*>(user)->transfer;
  const std::size_t copied = transfer.request.body.copy(data, size * count, transfer.sent);
  transfer.sent += copied;
  return copied;
}

std::size_t CurlTransport::Wire::on_head(char* data, std::size_t size, std::size_t count, void* user) {
  Running& running = *static_cast<Running*>(user);
  Transfer& transfer = *running.transfer;
  const std::string_view line(data, size * count);
  transfer.head += line.size();
  if (transfer.head > kLargestHead) {
    transfer.problem = fmt::format("the head of the response is larger than {} KiB", kLargestHead >> 10);
    return 0;
  }
  if (line.starts_with("HTTP/")) {
    transfer.retry_after.clear();
    transfer.date.clear();
  } else if (const auto wait = value_of(line, "retry-after")) {
    transfer.retry_after = *wait;
  } else if (const auto date = value_of(line, "date")) {
    transfer.date = *date;
  } else if ((line == "\r\n" || line == "\n") && !transfer.opened) {
    long status = 0;
    curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) return line.size();  // an interim response: another head follows
    transfer.status = static_cast<int>(status);
    if (transfer.delivery->streaming() && status == 200) {
      transfer.opened = true;
      transfer.start_deadline();
      transfer.delivery->opened();
    }
  }
  return line.size();
}

std::size_t CurlTransport::Wire::on_body(char* data, std::size_t size, std::size_t count, void* user) {
  Running& running = *static_cast<Running*>(user);
  Transfer& transfer = *running.transfer;
  const std::string_view bytes(data, size * count);
  if (transfer.opened) return running.wire->pass_on(transfer, bytes);
  const std::size_t asked = transfer.request.largest_response;
  const std::size_t largest = transfer.delivery->streaming() ? kLargestRefusal
                              : asked > 0                    ? asked
                                                             : kLargestResponse;
  if (bytes.size() > largest - transfer.body.size()) {
    transfer.problem = fmt::format("the response is larger than {} MiB", largest >> 20);
    return 0;
  }
  transfer.body.append(bytes);
  return bytes.size();
}

std::size_t CurlTransport::Wire::pass_on(Transfer& transfer, std::string_view bytes) {
  const bool taken = transfer.delivery->piece(bytes, [wire = weak_from_this(), id = transfer.id] {
    if (const auto alive = wire.lock()) alive->tell([id](Inbox& inbox) { inbox.drained.push_back(id); });
  });
  if (!taken) {
    transfer.deadline = kNever;  // it is we who are slow
    return CURL_WRITEFUNC_PAUSE;
  }
  transfer.start_deadline();
  return bytes.size();
}

void CurlTransport::Wire::resume(std::uint64_t id) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  found->second.transfer->start_deadline();
  curl_easy_pause(found->second.transfer->easy.get(), CURLPAUSE_CONT);
}

void CurlTransport::Wire::finish(Transfer& transfer, CURLcode code) {
  if (code != CURLE_OK) {
    std::string message = std::move(transfer.problem);
    if (message.empty())
      message = transfer.error[0] != '\0' ? transfer.error.data() : curl_easy_strerror(code);
    return fail(transfer, std::move(message));
  }
  Response response{transfer.status, std::move(transfer.body), parse_retry_after(transfer.retry_after),
                    parse_date(transfer.date)};
  if (response.status != 401 || transfer.refused || !desk_.renewable())
    return respond(transfer, std::move(response));
  release(transfer);
  transfer.refused = transfer.credentials;
  transfer.refusal = std::move(response);
  transfer.connected = false;
  transfer.sent = transfer.head = 0;
  transfer.body.clear();
  desk_.refuse(transfer.refused);
  admit(transfer);
}

void CurlTransport::Wire::respond(Transfer& transfer, Response response) {
  if (transfer.opened)
    conclude(transfer, std::nullopt, std::nullopt);
  else
    conclude(transfer, std::move(response), std::nullopt);
}

void CurlTransport::Wire::fail(Transfer& transfer, std::string message) {
  // A request that was refused and is not connected again was not carried out.
  conclude(transfer, std::nullopt, Failure{access_.server + ": " + message, transfer.connected});
}

void CurlTransport::Wire::conclude(Transfer& transfer, std::optional<Response> response,
                                   std::optional<Failure> failure) {
  transfer.delivery->conclude(std::move(response), std::move(failure));
  const std::uint64_t id = transfer.id;
  release(transfer);
  running_.erase(id);
}

void CurlTransport::Wire::release(Transfer& transfer) {
  if (!transfer.easy) return;
  curl_multi_remove_handle(multi_.get(), transfer.easy.get());
  transfer.easy.reset();
  transfer.headers.reset();
  transfer.connect_to.reset();
}

void CurlTransport::Wire::expire() {
  const auto now = Clock::now();
  std::vector<Transfer*> late;
  for (auto& [id, running] : running_)
    if (running.transfer->deadline <= now) late.push_back(running.transfer.get());
  for (Transfer* transfer : late) {
    const std::string timeout = format_duration(transfer->request.timeout);
    if (transfer->waits_for_credentials)
      fail(*transfer, "no credentials within " + timeout);
    else if (!transfer->connected)
      fail(*transfer, "no connection within " + timeout);
    else
      fail(*transfer, (transfer->opened ? "nothing received for " : "no answer within ") + timeout);
  }
}

int CurlTransport::Wire::wait_ms() const {
  constexpr auto kMost = std::chrono::milliseconds(60'000);
  auto first = kNever;
  for (const auto& [id, running] : running_) first = std::min(first, running.transfer->deadline);
  if (first == kNever) return static_cast<int>(kMost.count());
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
  return static_cast<int>(std::clamp(wait, std::chrono::milliseconds(0), kMost).count());
}

CurlTransport::CurlTransport(RealLoop& loop, const Access& access)
    : loop_(loop), wire_(std::make_shared<Wire>(access)) {}

CurlTransport::~CurlTransport() = default;

Pending CurlTransport::send(Request request, std::function<void(Exchange)> done) {
  return wire_->begin(std::move(request), std::make_shared<Delivery>(loop_, std::move(done)));
}

Pending CurlTransport::stream(Request request, StreamSink sink) {
  return wire_->begin(std::move(request), std::make_shared<Delivery>(loop_, std::move(sink)));
}

}  // namespace tamp::net
