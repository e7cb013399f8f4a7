#include "sim/demo/demo_command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "cli/files.h"
#include "net/real_loop.h"
#include "net/stop_signals.h"
#include "sim/embedded/embedded_cluster.h"
#include "sim/embedded/fleet_view.h"
#include "sim/scenario/scenario.h"
#include "sim/world/staging.h"
#include "terminal/fleet_page.h"
#include "terminal/terminal.h"

namespace tamp::cli {
namespace {

constexpr Duration kFrame = Duration::nanoseconds(200'000'000);
constexpr Duration kLineEvery = Duration::seconds(5);  // in a pipe
constexpr std::size_t kNewsKept = 200;
// The other screen of the terminal, without a cursor: what was there before is there again at the end.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l", kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H", kClearLine = "\x1b[K", kClearBelow = "\x1b[J";

std::string scenario_names() {
  std::string names;
  for (const world::BuiltinScenario& builtin : world::builtin_scenarios())
    names += (names.empty() ? "" : ", ") + std::string(builtin.name);
  return names;
}

// One that comes with the program, or a file.
Result<world::Scenario> find_scenario(const std::string& name) {
  for (const world::BuiltinScenario& builtin : world::builtin_scenarios())
    if (builtin.name == name) return world::read_scenario(std::string(builtin.text));
  if (name.find('/') == std::string::npos && !name.ends_with(".yaml") && !name.ends_with(".json"))
    return Error{"there is no scenario " + name + "; there are " + scenario_names() + ", or give a file"};
  TAMP_TRY(const wire::Input input, cli::read_input(name));
  auto scenario = world::read_scenario(input.bytes);
  if (!scenario) return std::move(scenario).error().with(input.name);
  return scenario;
}

std::size_t terminal_rows() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 40;
}

// What is shown while the cluster lives: a picture that is drawn anew in a terminal, lines in a pipe.
class Show {
 public:
  Show(embed::EmbeddedCluster& cluster, net::RealLoop& loop, const explain::Style& style, bool picture,
       std::vector<std::string> try_these)
      : cluster_(cluster), loop_(loop), style_(style), picture_(picture), try_these_(std::move(try_these)) {}
  ~Show() {
    if (entered_) (void)cli::write_output(kLeave);
  }
  Show(const Show&) = delete;
  Show& operator=(const Show&) = delete;

  void begin() {
    cost_at_start_ = terminal::fleet_cost(embed::view_fleet(cluster_.world(), cluster_.machines()));
    cluster_.world().story().clear();  // the warm-up's
    if (picture_) {
      entered_ = true;
      (void)cli::write_output(kEnter);
    } else {
      print(cluster_.scenario().title);
      for (const std::string& line : try_these_) print(line);
      next_line_ = loop_.instant();
    }
    frame();
  }

  // What is left to say when the screen is gone.
  std::string last_words() const {
    const terminal::FleetPage page = embed::view_fleet(cluster_.world(), cluster_.machines());
    return terminal::fleet_line(page, style_) + ", " + format_money(*cost_at_start_, 3) + "/h at the start\n";
  }

 private:
  void print(const std::string& line) { (void)cli::write_output(line + "\n"); }

  void frame() {
    terminal::FleetPage page = embed::view_fleet(cluster_.world(), cluster_.machines());
    std::vector<terminal::FleetNews> news = embed::tell(cluster_.world().story().lines());
    cluster_.world().story().clear();
    tell_runs(page, news);
    tell_plan(page, news);
    if (picture_)
      draw(page, news);
    else
      list(page, news);
    next_ = loop_.after(kFrame, [this] { frame(); });
  }

  // So is how far runs got, and that they can be stopped.
  void tell_runs(const terminal::FleetPage& page, std::vector<terminal::FleetNews>& news) {
    for (const terminal::FleetRun& run : page.runs) {
      const auto [told, is_new] = told_runs_.try_emplace(run.name);
      if (!is_new && told->second == run) continue;
      told->second = run;
      const explain::Ink ink = !run.over                  ? explain::Ink::Cyan
                               : run.phase == "Succeeded" ? explain::Ink::Green
                                                          : explain::Ink::Yellow;
      news.push_back({page.now, ink, "tamp: " + terminal::run_news(run)});
      if (is_new && !run.over)
        news.push_back(
            {page.now, explain::Ink::Cyan, "tamp: to take it back: tamp abort " + run.name + " --watch"});
    }
  }

  // A plan that was not there a moment ago is news.
  void tell_plan(const terminal::FleetPage& page, std::vector<terminal::FleetNews>& news) {
    if (page.plan_hash == told_plan_) return;
    told_plan_ = page.plan_hash;
    if (page.plan_hash.empty()) {
      if (std::all_of(page.runs.begin(), page.runs.end(), [](const auto& run) { return run.over; }))
        news.push_back({page.now, explain::Ink::Dim, "tamp: no plan any more"});
      return;
    }
    for (const std::string& line : page.plan)
      news.push_back({page.now, explain::Ink::Green, "tamp: plan " + page.plan_hash + ": " + line});
    news.push_back(
        {page.now, explain::Ink::Cyan,
         "tamp: to have it carried out: tamp approve " + page.plan_hash.substr(0, 12) + " --watch"});
  }

  void draw(terminal::FleetPage& page, const std::vector<terminal::FleetNews>& news) {
    for (const terminal::FleetNews& one : news) news_.push_back(one);
    while (news_.size() > kNewsKept) news_.pop_front();
    page.title = cluster_.scenario().title;
    page.speed = cluster_.speed();
    page.cost_at_start = cost_at_start_;
    page.news.assign(news_.begin(), news_.end());
    page.try_these = try_these_;
    const std::string text = terminal::fleet_page(page, style_, terminal_rows() - 1);
    std::string out(kHome);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += text.substr(at, end - at);
      out += kClearLine;
      out += '\n';
      at = end + 1;
    }
    out += kClearBelow;
    (void)cli::write_output(out);
  }

  void list(const terminal::FleetPage& page, const std::vector<terminal::FleetNews>& news) {
    for (const terminal::FleetNews& one : news) print(terminal::news_line(one, style_));
    if (loop_.instant() < next_line_) return;
    next_line_ = loop_.instant() + kLineEvery;
    print(terminal::fleet_line(page, style_));
  }

  embed::EmbeddedCluster& cluster_;
  net::RealLoop& loop_;
  explain::Style style_;
  bool picture_;
  std::vector<std::string> try_these_;
  bool entered_ = false;
  std::optional<Money> cost_at_start_;
  std::string told_plan_;
  std::map<std::string, terminal::FleetRun> told_runs_;
  std::deque<terminal::FleetNews> news_;
  net::Instant next_line_;
  net::Pending next_;
};

// A file for other programs: where the user wants it, or beside other short-lived files, gone at the end.
struct HandedFile {
  std::string path;
  bool ours = false;
  ~HandedFile() {
    if (ours) ::unlink(path.c_str());
  }
};

}  // namespace

Status run_demo(const cli::Options& options, const terminal::Environment& environment,
                const std::string& version) {
  TAMP_TRY(world::Scenario scenario, find_scenario(options.demo.scenario));
  net::RealLoop loop;
  const net::StopSignals signals(loop, [&loop] { loop.stop(); });
  embed::EmbeddedOptions wish;
  wish.scenario = std::move(scenario);
  wish.seed = options.demo.seed;
  wish.speed = options.demo.speed;
  wish.address = options.demo.address;
  wish.port = options.demo.port;
  wish.version = version;
  wish.dashboard_port = options.demo.dashboard_port;
  wish.dashboard_login = options.demo.dashboard_login;
  auto cluster = embed::EmbeddedCluster::start(loop, std::move(wish));
  if (!cluster) return std::move(cluster).error().with("scenario " + options.demo.scenario);

  const std::string beside =
      environment("TMPDIR").value_or("/tmp") + "/tamp-demo-" + std::to_string(::getpid());
  HandedFile kubeconfig{options.demo.kubeconfig, options.demo.kubeconfig.empty()};
  if (kubeconfig.ours) kubeconfig.path = beside + ".kubeconfig";
  const HandedFile machines{beside + ".machines.json", true};
  TAMP_CHECK(cli::write_file(kubeconfig.path, (*cluster)->port().kubeconfig()));
  TAMP_CHECK(cli::write_file(machines.path, world::machine_catalogue((*cluster)->scenario())));
  const std::vector<std::string> try_these = {
      "Dashboard: " + (*cluster)->dashboard_url(),
      "export KUBECONFIG=" + kubeconfig.path + " INSTANCE_TYPES=" + machines.path,
      "tamp status · tamp approve HASH --watch · tamp abort RUN --watch · tamp plan · tamp explain NODE · "
      "kubectl get "
      "nodes · Ctrl-C ends it"};
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb";
  std::string last_words;
  {
    Show show(**cluster, loop, terminal::output_style(options.color, environment), terminal, try_these);
    net::Pending end;
    if (options.demo.length) end = loop.after(*options.demo.length, [&loop] { loop.stop(); });
    show.begin();
    loop.run();
    last_words = show.last_words();
  }
  return cli::write_output(last_words);
}

}  // namespace tamp::cli
