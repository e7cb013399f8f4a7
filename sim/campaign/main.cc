// tamp-sim: the real controller against simulated clusters, seed by seed. docs/guides/simulation.md
//
//   tamp-sim --seeds 1..2000 [--mutant NAME] [--without 0,2] [--jobs 2] [--verbose] [--counts]
//   tamp-sim --mutants 300        every injected bug must be caught within so many seeds
//
// Exit status: 0 nothing was violated (with --mutants: every mutant was caught), 1 otherwise, 2 usage. A campaign of 10,000 seeds
// also fails if there is a phase transition or a fault that it never reached.
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "sim/campaign/campaign.h"

namespace tamp::sim {
namespace {

constexpr std::uint64_t kLarge = 1000;       // trials: it is said what they never reached
constexpr std::uint64_t kThorough = 10'000;  // and that is a failure

struct Arguments {
  CampaignOptions campaign;
  bool counts = false;
  std::uint64_t mutants = 0;  // seeds for each; 0: not asked for
};

bool read_number(std::string_view text, std::uint64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_seeds(std::string_view text, CampaignOptions& options) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (!read_number(text, options.first)) return false;
    options.last = options.first;
    return true;
  }
  return read_number(text.substr(0, dots), options.first) &&
         read_number(text.substr(dots + 2), options.last) && options.first <= options.last;
}

bool read_arguments(const std::vector<std::string_view>& words, Arguments& out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto value = [&]() -> std::string_view {
      return i + 1 < words.size() ? words[++i] : std::string_view();
    };
    std::uint64_t number = 0;
    if (word == "--seeds") {
      if (!read_seeds(value(), out.campaign)) return false;
    } else if (word == "--mutant") {
      const auto mutant = mutant_of(value());
      if (!mutant) return false;
      out.campaign.mutant = *mutant;
    } else if (word == "--without") {
      std::stringstream list{std::string(value())};
      for (std::string item; std::getline(list, item, ',');) {
        if (!read_number(item, number)) return false;
        out.campaign.without.insert(number);
      }
    } else if (word == "--jobs") {
      if (!read_number(value(), number) || number == 0 || number > 64) return false;
      out.campaign.processes = static_cast<unsigned>(number);
    } else if (word == "--mutants") {
      if (!read_number(value(), out.mutants) || out.mutants == 0) return false;
    } else if (word == "--verbose") {
      out.campaign.verbose = true;
    } else if (word == "--counts") {
      out.counts = true;
    } else {
      return false;
    }
  }
  return true;
}

// ---- one process for each part of the seeds; results come back as lines

std::string lines_of(const CampaignResult& result) {
  std::string out = fmt::format("T\t{}\t{}\t{}\n", result.trials, result.virtual_hours, result.digest);
  for (const auto& [name, times] : result.coverage.counts()) out += fmt::format("C\t{}\t{}\n", times, name);
  for (const FailingSeed& failing : result.failing) {
    std::string without;
    for (const std::size_t trouble : failing.without) without += fmt::format("{},", trouble);
    out += fmt::format("F\t{}\t{}\t{}\t{}\n", failing.seed, without.empty() ? "-" : without,
                       failing.violation.rule, failing.violation.text);
  }
  return out + "E\n";
}

// Returns whether the part came to its end.
bool add_lines(std::istream& in, CampaignResult& result) {
  bool ended = false;
  for (std::string line; std::getline(in, line);) {
    std::stringstream fields(line);
    std::string kind, text;
    std::getline(fields, kind, '\t');
    if (kind == "T") {
      std::uint64_t trials = 0, digest = 0;
      double hours = 0;
      fields >> trials >> hours >> digest;
      result.trials += trials;
      result.virtual_hours += hours;
      result.digest ^= digest;
    } else if (kind == "C") {
      std::uint64_t times = 0;
      fields >> times;
      fields.ignore(1);
      std::getline(fields, text);
      result.coverage.counts()[text] += times;
    } else if (kind == "F") {
      FailingSeed& failing = result.failing.emplace_back();
      std::string without;
      fields >> failing.seed >> without >> failing.violation.rule;
      fields.ignore(1);
      std::getline(fields, failing.violation.text);
      std::stringstream list(without);
      std::uint64_t number = 0;
      for (std::string item; std::getline(list, item, ',');)
        if (read_number(item, number)) failing.without.insert(number);
    } else if (kind == "E") {
      ended = true;
    }
  }
  return ended;
}

bool run_parts(const CampaignOptions& options, CampaignResult& result) {
  const std::uint64_t count = options.last - options.first + 1;
  const auto parts = static_cast<unsigned>(std::min<std::uint64_t>(options.processes, count));
  if (parts <= 1) {
    Stock stock;
    result = run_campaign(stock, options);
    return true;
  }
  struct Part {
    pid_t child = -1;
    std::string file;
  };
  std::vector<Part> children;
  for (unsigned i = 0; i < parts; ++i) {
    CampaignOptions part = options;
    part.first = options.first + count * i / parts;
    part.last = options.first + count * (i + 1) / parts - 1;
    std::string name = fmt::format("{}/tamp-sim.{}.{}", P_tmpdir, getpid(), i);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      Stock stock;
      const std::string lines = lines_of(run_campaign(stock, part));
      std::fflush(stdout);
      std::ofstream(name) << lines;
      _exit(0);
    }
    children.push_back({child, std::move(name)});
  }
  bool whole = true;
  for (const Part& part : children) {
    int status = 0;
    waitpid(part.child, &status, 0);
    std::ifstream lines(part.file);
    if (!add_lines(lines, result) || status != 0) whole = false;
    unlink(part.file.c_str());
  }
  return whole;
}

int report(const Arguments& arguments) {
  CampaignResult result;
  const bool whole = run_parts(arguments.campaign, result);
  for (const FailingSeed& failing : result.failing)
    fmt::print("VIOLATED {} by seed {}: {}\n  replay: {}\n", failing.violation.rule, failing.seed,
               failing.violation.text, replay_command(failing, arguments.campaign.mutant));
  if (arguments.counts)
    for (const auto& [name, times] : result.coverage.counts()) fmt::print("{:9} {}\n", times, name);
  const std::vector<std::string> missing = never_reached(result.coverage);
  if (result.trials >= kLarge || arguments.counts)
    for (const std::string& name : missing) fmt::print("never reached: {}\n", name);
  const bool thorough =
      arguments.campaign.mutant != Mutant::None || result.trials < kThorough || missing.empty();
  fmt::print("{} trials, {} with a run, {} evictions, {:.1f} virtual hours, {} violated, digest {:016x}\n",
             result.trials, result.coverage.of("trial with a run"), result.coverage.of("eviction"),
             result.virtual_hours, result.failing.size(), result.digest);
  if (!whole) fmt::print("a part of the campaign died\n");
  if (!thorough) fmt::print("a campaign of this size should have reached everything\n");
  return whole && thorough && result.failing.empty() ? 0 : 1;
}

int report_mutants(const Arguments& arguments) {
  int missed = 0;
  for (std::size_t i = 1; i < kMutants; ++i) {
    CampaignOptions options = arguments.campaign;
    options.mutant = static_cast<Mutant>(i);
    options.last = options.first + arguments.mutants - 1;
    options.stop_after = 1;
    CampaignResult result;
    run_parts(options, result);
    if (result.failing.empty()) {
      ++missed;
      fmt::print("MISSED {} in {} trials\n", name_of(options.mutant), result.trials);
    } else {
      std::fflush(stdout);
      fmt::print("caught {}: {} {} (seed {})\n", name_of(options.mutant),
                 result.failing.front().violation.rule, result.failing.front().violation.text,
                 result.failing.front().seed);
    }
  }
  fmt::print("{} of {} mutants caught\n", kMutants - 1 - static_cast<std::size_t>(missed), kMutants - 1);
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tamp::sim

int main(int argc, char** argv) {
  tamp::sim::Arguments arguments;
  if (!tamp::sim::read_arguments({argv + 1, argv + argc}, arguments)) {
    std::cerr << "usage: tamp-sim --seeds FIRST..LAST [--mutant NAME] [--without 0,2] [--jobs N] [--verbose] "
                 "[--counts]\n"
                 "       tamp-sim --mutants SEEDS [--jobs N]\n";
    return 2;
  }
  return arguments.mutants != 0 ? tamp::sim::report_mutants(arguments) : tamp::sim::report(arguments);
}
