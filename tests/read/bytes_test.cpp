// SPDX-License-Identifier: Apache-2.0
#include "partita/read/bytes.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_(fs::temp_directory_path() / ("partita-bytes-" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { fs::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(Bytes, AFileComesBackAsItIs) {
  std::string bytes(1'000'003, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  const TemporaryFile file(bytes);
  EXPECT_EQ(read_bytes(file.path()), bytes);
}

TEST(Bytes, AnOpenFileHasItsBeginningToo) {
  std::string bytes(200'003, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i % 23);
  for (const bool packed : {false, true}) {
    const TemporaryFile file(packed ? gzipped(bytes) : bytes);
    OpenFile open = open_file(file.path());
    EXPECT_EQ(open.beginning, bytes.substr(0, 65536));
    EXPECT_EQ(open.bytes->has_checksum(), packed);
    EXPECT_EQ(read_to_end(*open.bytes, "f"), bytes);
    EXPECT_EQ(beginning_of(file.path()), open.beginning);
  }
  EXPECT_EQ(beginning_of("/dev/null"), "") << "no plain file";
  EXPECT_THROW(open_file("/nowhere/at/all"), InputError);
}

TEST(Bytes, AnEmptyFileIsEmpty) {
  const TemporaryFile file("");
  EXPECT_EQ(read_bytes(file.path()), "");
}

TEST(Bytes, StandardInputIsCalledDash) {
  const TemporaryFile file("from a pipe");
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(file.path().c_str(), "rb", stdin), nullptr);
  EXPECT_EQ(read_bytes("-"), "from a pipe");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(source_name("-"), "standard input");
  EXPECT_EQ(source_name("a/b.json"), "a/b.json");
}

TEST(Bytes, AMissingFileAndAFolderAreUnreadable) {
  EXPECT_SAYS(error_of([] { read_bytes("no/such/file.json"); }), ErrorKind::Unreadable, "no/such/file.json",
              "No such file");
  const std::string folder = fs::temp_directory_path().string();
  EXPECT_SAYS(error_of([&] { read_bytes(folder); }), ErrorKind::Unreadable, folder.c_str(), "directory");
}

std::string gunzip(std::string_view bytes, const std::string& source, std::size_t most_bytes = kMaxInputBytes) {
  const std::unique_ptr<ByteSource> plain = unpacked(memory_source(bytes), source, most_bytes);
  std::string text;
  std::string piece(1'000, '\0');  // so that a text is more than one piece
  while (const std::size_t got = plain->read(piece.data(), piece.size())) text.append(piece, 0, got);
  return text;
}

TEST(Gunzip, UnpacksOneMemberAndSeveral) {
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(gunzip(gzipped("hello"), "f"), "hello");
  EXPECT_EQ(gunzip(gzipped(""), "f"), "");
  EXPECT_EQ(gunzip(gzipped("hello ") + gzipped(large) + gzipped("!"), "f"), "hello " + large + "!");
}

TEST(Gunzip, IgnoresZeroPaddingButNothingElse) {
  EXPECT_EQ(gunzip(gzipped("hello") + std::string(512, '\0'), "f"), "hello");
  EXPECT_SAYS(error_of([] { gunzip(gzipped("hello") + "junk", "f.gz"); }), ErrorKind::NotJson, "f.gz",
              "from byte 26 on", "not gzip");
}

TEST(Gunzip, EveryTruncationIsSeen) {
  const std::string packed = gzipped("some text that is long enough to be worth packing, packing, packing");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    EXPECT_SAYS(error_of([&] { gunzip(std::string_view(packed).substr(0, size), "f.gz"); }), ErrorKind::NotJson, "f.gz",
                "ends early", "truncated");
  }
}

TEST(Gunzip, DamageIsSeen) {
  std::string packed = gzipped("some text that is long enough to be worth packing, packing, packing");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 0x55);  // in the checksum
  EXPECT_SAYS(error_of([&] { gunzip(packed, "f.gz"); }), ErrorKind::NotJson, "f.gz", "damaged");
}

TEST(Gunzip, ABombStopsAtTheLimit) {
  const std::string packed = gzipped(std::string(10'000'000, ' '));
  ASSERT_LT(packed.size(), 20'000u);
  EXPECT_SAYS(error_of([&] { gunzip(packed, "f.gz", 1'000'000); }), ErrorKind::NotJson, "more than 1000000 bytes");
}

}  // namespace
}  // namespace partita::detail
