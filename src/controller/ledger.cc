#include "controller/ledger.h"

#include <utility>

#include "core/json_writer.h"
#include "core/sha256.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

constexpr net::ResourceType kConfigMaps{"", "v1", "configmaps", true};
constexpr Duration kRetryAfter = Duration::seconds(15);
constexpr std::size_t kLongestName = 200;  // the rest of 253 is for what is put behind it

}  // namespace

std::string ledger_part(std::string_view run, std::string_view what, int part) {
  std::string name = run.size() <= kLongestName ? std::string(run) : "run-" + sha256_hex(run).substr(0, 16);
  return name + "-" + std::string(what) + "-" + std::to_string(part);
}

std::string ledger_key(std::string_view what) { return std::string(what) + ".jsonl"; }

Ledger::Ledger(net::Loop& loop, net::Client& client, const Log& log, LedgerOptions options,
               std::function<void(const std::string&)> opened)
    : loop_(loop), client_(client), log_(log), options_(std::move(options)), opened_(std::move(opened)) {
  read(1);
}

void Ledger::read(int part) {
  busy_ = true;
  open_ = false;
  if (part == 1) {
    read_lines_.clear();
    text_.clear();
    version_.clear();
    part_ = 1;
  }
  request_ = client_.get(kConfigMaps, options_.ns, ledger_part(options_.run, options_.what, part),
                         [this, part](net::Reply reply) {
                           busy_ = false;
                           const bool absent =
                               !reply.ok() && reply.error->kind == net::ApiError::Kind::NotFound;
                           if (!reply.ok() && !absent) return later(*reply.error);
                           if (!absent) {
                             const auto object = wire::read_tree(reply.body);
                             if (object) {
                               part_ = part;
                               text_ = object->at({"data"})[ledger_key(options_.what)].string();
                               version_ = object->at({"metadata", "resourceVersion"}).string();
                               read_lines_ += text_;
                             }
                             if (part < options_.most_parts) return read(part + 1);
                           }
                           open_ = true;
                           opened_(std::exchange(read_lines_, {}));
                           if (!waiting_.empty()) flush();
                         });
}

void Ledger::append(std::string_view lines) {
  if (!full_) waiting_ += lines;
}

void Ledger::flush() {
  if (open_ && !busy_ && !waiting_.empty() && !retry_.armed()) write();
}

void Ledger::write() {
  if (text_.size() + waiting_.size() > options_.part_size && !text_.empty()) {
    if (part_ >= options_.most_parts) {
      full_ = true;
      waiting_.clear();
      log_.warn("no more is recorded of this run", {{"run", options_.run}, {"what", options_.what}});
      return;
    }
    ++part_;
    text_.clear();
    version_.clear();
  }
  std::string text = text_ + waiting_;
  const std::size_t taken = waiting_.size();
  JsonWriter w;
  w.begin_object().field("apiVersion", "v1").field("kind", "ConfigMap").key("metadata").begin_object();
  w.field("name", ledger_part(options_.run, options_.what, part_)).field("namespace", options_.ns);
  if (!version_.empty()) w.field("resourceVersion", version_);
  w.key("labels").begin_object().field("app.kubernetes.io/name", "tamp").end_object();
  w.key("ownerReferences").begin_array().begin_object();
  w.field("apiVersion", "temper.codes/v1alpha1").field("kind", "ConsolidationRun");
  w.field("name", options_.run).field("uid", options_.uid);
  w.end_object().end_array().end_object();
  w.key("data").begin_object().field(ledger_key(options_.what), text).end_object().end_object();
  busy_ = true;
  auto done = [this, text, taken](net::Reply reply) {
    busy_ = false;
    if (!reply.ok()) {
      // Also without an answer: what is there decides.
      const bool other = reply.error->kind == net::ApiError::Kind::Conflict ||
                         reply.error->kind == net::ApiError::Kind::AlreadyExists || reply.error->maybe_done;
      if (other) waiting_.clear();  // whoever appends tells anew what is missing
      if (other) return read(1);
      return later(*reply.error);
    }
    const auto object = wire::read_tree(reply.body);
    if (object) version_ = object->at({"metadata", "resourceVersion"}).string();
    text_ = text;
    waiting_.erase(0, taken);
    flush();
  };
  const std::string name = ledger_part(options_.run, options_.what, part_);
  request_ = version_.empty() ? client_.create(kConfigMaps, options_.ns, w.take(), std::move(done))
                              : client_.replace(kConfigMaps, options_.ns, name, w.take(), std::move(done));
}

void Ledger::later(const net::ApiError& error) {
  if (error.reason == "Fenced") return;
  if (!std::exchange(complained_, true))
    log_.warn("records of a run cannot be kept",
              {{"run", options_.run}, {"what", options_.what}, {"error", error.text()}});
  retry_ = loop_.after(kRetryAfter, [this] {
    retry_.cancel();
    if (open_)
      flush();
    else
      read(1);
  });
}

}  // namespace tamp::controller
