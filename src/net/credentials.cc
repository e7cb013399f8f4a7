#include "net/credentials.h"

#include <algorithm>
#include <utility>

#include "net/files.h"

namespace tamp::net {
namespace {

// The kubelet replaces a projected token when a fifth of its life is left; a minute is far less than that.
constexpr Duration kReadAgain = Duration::minutes(1);
// After a failure: the file may just be being replaced.
constexpr Duration kTryAgain = Duration::seconds(10);
constexpr std::size_t kLargestSecret = std::size_t{1} << 20;

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Result<Credentials> read_files(Credentials credentials, const CredentialFiles& files) {
  if (!files.token.empty()) {
    TAMP_TRY(const std::string bytes, read_file(files.token, kLargestSecret));
    credentials.token = trimmed(bytes);
    if (credentials.token.empty()) return Error{files.token + ": holds no token"};
    if (auto status = check_token(credentials.token); !status)
      return std::move(status).error().with(files.token);
  }
  if (!files.certificate.empty()) {
    TAMP_TRY(credentials.certificate, read_file(files.certificate, kLargestSecret));
  }
  if (!files.key.empty()) {
    TAMP_TRY(credentials.key, read_file(files.key, kLargestSecret));
  }
  return credentials;
}

}  // namespace

CredentialSource credentials_from_files(Credentials fixed, CredentialFiles files) {
  std::optional<Credentials> last;
  return
      [fixed = std::move(fixed), files = std::move(files), last](std::stop_token) mutable -> Result<Issued> {
        auto fresh = read_files(fixed, files);
        if (fresh) {
          last = *fresh;
          return Issued{std::move(fresh).value(), kReadAgain};
        }
        if (last) return Issued{*last, kTryAgain};
        return std::move(fresh).error();
      };
}

Status check_token(const std::string& token) {
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  if (std::all_of(token.begin(), token.end(), printable)) return success();
  return Error{"the token holds a character that no token may have"};
}

}  // namespace tamp::net
