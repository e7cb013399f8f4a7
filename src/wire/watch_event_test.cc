#include "wire/watch_event.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

Result<EventInfo> event(const std::string& text) {
  auto json = Json::parse(text);
  if (!json) return std::move(json).error();
  return read_event_info(json->root());
}

Result<PageInfo> page(const std::string& text) {
  auto json = Json::parse(text);
  if (!json) return std::move(json).error();
  return read_page_info(json->root());
}

TEST(WatchEvent, HasATypeAndAResourceVersion) {
  const auto info =
      event(R"({"type":"MODIFIED","object":{"kind":"Pod","metadata":{"resourceVersion":"42"}}})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->type, EventInfo::Type::Modified);
  EXPECT_EQ(info->resource_version, "42");
}

TEST(WatchEvent, ABookmarkSaysOnlyWhereTheWatchStands) {
  const auto info =
      event(R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"12746"}}})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->type, EventInfo::Type::Bookmark);
  EXPECT_EQ(info->resource_version, "12746");
}

TEST(WatchEvent, AnErrorCarriesTheCodeOfItsStatus) {
  const auto info = event(R"~({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired",
                               "message":"too old resource version: 1 (9)","code":410}})~");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->type, EventInfo::Type::Error);
  EXPECT_EQ(info->error_code, 410);
  EXPECT_EQ(info->error_message, "too old resource version: 1 (9)");
}

TEST(WatchEvent, WhatIsNoEventIsAnError) {
  EXPECT_FALSE(event("[]").ok());
  EXPECT_FALSE(event(R"({"type":"RENAMED","object":{"metadata":{"resourceVersion":"1"}}})").ok());
  EXPECT_FALSE(event(R"({"type":"ADDED"})").ok());
  EXPECT_FALSE(event(R"({"type":"ADDED","object":{"metadata":{}}})").ok());
  EXPECT_FALSE(event(R"({"type":"ADDED","object":)").ok());
}

TEST(Page, SaysWhereTheListStandsAndWhetherItGoesOn) {
  const auto first =
      page(R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"abc"},"items":[]})");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->resource_version, "7");
  EXPECT_EQ(first->continue_token, "abc");
  const auto last = page(R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]})");
  ASSERT_TRUE(last.ok());
  EXPECT_EQ(last->continue_token, "");
}

TEST(Page, WhatIsNoListIsAnError) {
  EXPECT_FALSE(page("5").ok());
  EXPECT_FALSE(page(R"({"kind":"Status","metadata":{"resourceVersion":"7"}})").ok());
  EXPECT_FALSE(page(R"({"kind":"PodList","metadata":{},"items":[]})").ok());
}

}  // namespace
}  // namespace tamp::wire
