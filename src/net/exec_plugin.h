// Credentials from a plugin: a program that the kubeconfig names, run without a shell, which prints an ExecCredential.
#pragma once

#include <string>

#include "net/credentials.h"
#include "wire/kubeconfig.h"

namespace tamp::net {

// How long a plugin may take. One that asks a person (a browser, a second factor) needs a while.
inline constexpr Duration kPluginTimeout = Duration::minutes(2);

// Runs the plugin each time it is asked. Its standard error is ours. `exec_info` is the value of KUBERNETES_EXEC_INFO;
// `interactive` lets it read our standard input.
CredentialSource credentials_from_plugin(wire::ExecPlugin plugin, std::string exec_info, bool interactive,
                                         Duration timeout = kPluginTimeout);

}  // namespace tamp::net
