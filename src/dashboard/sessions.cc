#include "dashboard/sessions.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/sha256.h"

namespace tamp::dashboard {
namespace {

std::string id_key(std::string_view id) { return "cookie " + sha256_hex(id); }
std::string token_key(std::string_view token) { return "token " + sha256_hex(token); }

}  // namespace

Sessions::Sessions(SessionOptions options, Clock clock, std::function<std::string()> random)
    : options_(options), clock_(std::move(clock)), random_(std::move(random)) {}

std::string Sessions::open(Session session) {
  std::string id = random_();
  session.csrf = random_();
  session.cookie = true;
  keep(id_key(id), std::move(session));
  return id;
}

void Sessions::open_by_token(const std::string& token, Session session) {
  session.cookie = false;
  keep(token_key(token), std::move(session));
}

void Sessions::keep(std::string key, Session session) {
  const std::lock_guard lock(mutex_);
  const net::Instant now = clock_();
  entries_.insert_or_assign(std::move(key), Entry{std::move(session), now, now, now, options_.burst});
  if (entries_.size() <= options_.most) return;
  entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return a.second.used < b.second.used;
  }));
}

Sessions::Found Sessions::look(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return {};
  Entry& entry = it->second;
  const net::Instant now = clock_();
  if (now - entry.opened > options_.life || now - entry.used > options_.idle) {
    entries_.erase(it);
    return {};
  }
  const double earned = (now - entry.used).to_seconds() * options_.requests_per_second;
  entry.tokens = std::min(options_.burst, entry.tokens + earned);
  entry.used = now;
  if (entry.tokens < 1) return {State::TooFast, entry.session};
  entry.tokens -= 1;
  return {now - entry.checked > options_.trusted ? State::Stale : State::Fresh, entry.session};
}

Sessions::Found Sessions::find(std::string_view id) { return look(id_key(id)); }
Sessions::Found Sessions::find_by_token(std::string_view token) { return look(token_key(token)); }

void Sessions::refresh(std::string_view token, const wire::Caller& caller, const Rights& rights) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : entries_) {
    if (entry.session.token != token) continue;
    entry.session.caller = caller;
    entry.session.rights = rights;
    entry.checked = clock_();
  }
}

void Sessions::close(std::string_view id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id_key(id));
}

void Sessions::close_by_token(std::string_view token) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.session.token == token; });
}

std::string_view cookie_value(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const auto end = cookies.find(';');
    std::string_view one = cookies.substr(0, end);
    cookies = end == std::string_view::npos ? std::string_view() : cookies.substr(end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace tamp::dashboard
