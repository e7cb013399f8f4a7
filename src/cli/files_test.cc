#include "cli/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tamp::cli {
namespace {

using testing::HasSubstr;

struct FilesTest : testing::Test {
  std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / ("tamp-files-" + std::to_string(::getpid()));
  FilesTest() { std::filesystem::create_directories(directory); }
  ~FilesTest() override { std::filesystem::remove_all(directory); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(directory / name, std::ios::binary) << content;
    return directory / name;
  }
};

TEST_F(FilesTest, ReadsEveryByteAndKeepsTheNameForMessages) {
  const std::string content(200'000, '\0');
  const std::string path = file("zeros", content);
  const auto input = read_input(path);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(input->bytes, content);
  EXPECT_EQ(input->name, path);
  EXPECT_EQ(read_input(file("empty", ""))->bytes, "");
}

TEST_F(FilesTest, RefusesWhatIsNoReadableFile) {
  EXPECT_THAT(read_input(directory / "absent").error().message,
              HasSubstr("absent: cannot open: No such file"));
  EXPECT_THAT(read_input(directory).error().message, HasSubstr("is a directory"));
}

TEST_F(FilesTest, RefusesMoreThanTheBound) {
  const std::string path = file("big", std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(read_input(path, 1 << 20).error().message, HasSubstr("more than 1 MiB"));
  EXPECT_TRUE(read_input(path, (1 << 20) + 1).ok());
}

}  // namespace
}  // namespace tamp::cli
