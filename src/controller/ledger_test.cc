#include "controller/ledger.h"

#include <gtest/gtest.h>

#include <map>

#include "core/json_writer.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

using net::Exchange;
using net::Method;
using net::Request;

// ConfigMaps as an API server keeps them.
struct Shelves {
  struct Map {
    std::string text;
    int version = 1;
  };
  std::map<std::string, Map> maps;
  std::optional<Exchange> instead;  // once, in place of the next answer
  bool after = false;               // … and the write is done all the same

  static std::string body(const std::string& name, const Map& map) {
    JsonWriter w;
    w.begin_object().key("metadata").begin_object().field("name", name);
    w.field("resourceVersion", std::to_string(map.version)).end_object();
    w.key("data").begin_object().field("audit.jsonl", map.text).end_object().end_object();
    return w.take();
  }

  Exchange handle(const Request& request) {
    if (instead && !after) return *std::exchange(instead, std::nullopt);
    Exchange reply = serve(request);
    return instead ? *std::exchange(instead, std::nullopt) : reply;
  }

  Exchange serve(const Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string name = path.substr(path.rfind('/') + 1);
    if (request.method == Method::Get) {
      const auto found = maps.find(name);
      return found == maps.end() ? net::refuse(404, "NotFound") : net::answer(200, body(name, found->second));
    }
    const auto sent = wire::read_tree(request.body);
    const std::string its(sent->at({"metadata", "name"}).string());
    const std::string text(sent->at({"data"})["audit.jsonl"].string());
    if (request.method == Method::Post) {
      if (maps.contains(its)) return net::refuse(409, "AlreadyExists");
      maps[its] = {text, 1};
    } else {
      if (std::to_string(maps[its].version) != sent->at({"metadata", "resourceVersion"}).string())
        return net::refuse(409, "Conflict");
      maps[its] = {text, maps[its].version + 1};
    }
    return net::answer(200, body(its, maps[its]));
  }
};

struct LedgerTest : testing::Test {
  LedgerTest() {
    transport.on_send = [this](const Request& request) { return shelves.handle(request); };
    options.ns = "tamp-system";
    options.run = "run-1";
    options.uid = "u1";
    options.what = "audit";
  }
  void open() {
    ledger = std::make_unique<Ledger>(loop, client, log, options,
                                      [this](const std::string& lines) { opened.push_back(lines); });
    loop.settle();
  }
  void write(std::string_view lines) {
    ledger->append(lines);
    ledger->flush();
    loop.settle();
  }
  std::string part(int number) { return shelves.maps.at("run-1-audit-" + std::to_string(number)).text; }

  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  std::vector<std::string> logged, opened;
  Log log{LogLevel::Info, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged.emplace_back(line); }};
  LedgerOptions options;
  Shelves shelves;
  std::unique_ptr<Ledger> ledger;
};

TEST_F(LedgerTest, NamesItsPartsAfterTheRun) {
  EXPECT_EQ(ledger_part("run-1", "audit", 2), "run-1-audit-2");
  EXPECT_EQ(ledger_key("timeline"), "timeline.jsonl");
  // A name of 253 characters is a run's good right; that of an object made from it must not be longer.
  const std::string longest(253, 'r');
  EXPECT_LE(ledger_part(longest, "snapshots", 4).size(), 253U);
  EXPECT_NE(ledger_part(longest, "audit", 1), ledger_part(std::string(252, 'r') + "s", "audit", 1));
}

TEST_F(LedgerTest, AppendsToWhatIsThere) {
  shelves.maps["run-1-audit-1"] = {"one\n", 7};
  open();
  EXPECT_EQ(opened, std::vector<std::string>{"one\n"});
  write("two\n");
  write("three\n");
  EXPECT_EQ(part(1), "one\ntwo\nthree\n");
  EXPECT_TRUE(ledger->settled());
}

TEST_F(LedgerTest, BelongsToItsRun) {
  open();
  write("one\n");
  const auto made = wire::read_tree(transport.sent.back().body);
  const auto& owner = made->at({"metadata", "ownerReferences"}).elements().front();
  EXPECT_EQ(owner["kind"].string(), "ConsolidationRun");
  EXPECT_EQ(owner["name"].string(), "run-1");
  EXPECT_EQ(owner["uid"].string(), "u1");
}

TEST_F(LedgerTest, BeginsAnotherPartWhenOneIsFullAndReadsAllOfThem) {
  options.part_size = 8;
  open();
  for (const char* line : {"one\n", "two\n", "three\n", "four\n"}) write(line);
  EXPECT_EQ(part(1), "one\ntwo\n");
  EXPECT_EQ(part(2), "three\n");
  EXPECT_EQ(part(3), "four\n");
  open();
  EXPECT_EQ(opened.back(), "one\ntwo\nthree\nfour\n");
  write("5\n");
  EXPECT_EQ(part(3), "four\n5\n") << "it goes on in the last one";
}

TEST_F(LedgerTest, DropsWhatIsTooMuchAndSaysSo) {
  options.part_size = 4;
  options.most_parts = 2;
  open();
  for (const char* line : {"one\n", "two\n", "three\n", "four\n"}) write(line);
  EXPECT_EQ(shelves.maps.size(), 2U);
  EXPECT_TRUE(ledger->full());
  EXPECT_TRUE(ledger->settled()) << "nobody waits for what is dropped";
  EXPECT_EQ(logged.size(), 1U);
}

TEST_F(LedgerTest, WhatSomebodyElseWroteIsReadAnewBeforeAnythingIsAdded) {
  open();
  write("one\n");
  shelves.maps["run-1-audit-1"] = {"one\nanother's\n", 9};
  write("two\n");
  // Whoever appends must hear what is there first: a chain would not fit it any more.
  EXPECT_EQ(part(1), "one\nanother's\n");
  EXPECT_EQ(opened.back(), "one\nanother's\n");
  write("three\n");
  EXPECT_EQ(part(1), "one\nanother's\nthree\n");
}

TEST_F(LedgerTest, AWriteWithoutAnAnswerIsNotRepeated) {
  open();
  write("one\n");
  shelves.instead = net::no_answer();
  shelves.after = true;
  write("two\n");
  EXPECT_EQ(part(1), "one\ntwo\n");
  EXPECT_EQ(opened.back(), "one\ntwo\n") << "what is there decides";
  EXPECT_TRUE(ledger->settled());
}

TEST_F(LedgerTest, ARefusedWriteIsTriedAgainLater) {
  open();
  shelves.instead = net::refuse(403, "Forbidden");
  write("one\n");
  EXPECT_FALSE(ledger->settled());
  EXPECT_TRUE(shelves.maps.empty());
  write("two\n");
  EXPECT_TRUE(shelves.maps.empty()) << "not at once";
  loop.advance(Duration::seconds(20));
  EXPECT_EQ(part(1), "one\ntwo\n");
  EXPECT_TRUE(ledger->settled());
}

TEST_F(LedgerTest, IsNotOpenBeforeEverythingWasRead) {
  shelves.maps["run-1-audit-1"] = {"one\n", 7};
  shelves.instead = net::refuse(403, "Forbidden");
  open();
  EXPECT_FALSE(ledger->open());
  EXPECT_TRUE(opened.empty());
  loop.advance(Duration::seconds(20));
  EXPECT_TRUE(ledger->open());
  EXPECT_EQ(opened, std::vector<std::string>{"one\n"});
}

}  // namespace
}  // namespace tamp::controller
