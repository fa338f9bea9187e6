//===- MutationTest.cpp - damaged PTX does no damage ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fuzzer does this with feedback and for longer; here a fixed seed keeps it
// in every run of the tests.
//
//===----------------------------------------------------------------------===//

#include "PtxTestUtil.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  const char *source = std::getenv("HWTUNE_TEST_SRC");
  std::filesystem::path folder =
      std::filesystem::path(source ? source : ".") / "test/fuzz/corpus/ptx";
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder))
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".ptx")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths) {
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    texts.push_back(all.str());
  }
  return texts;
}

/// What real compilers wrote is accepted, and prints to what is accepted.
TEST(PtxMutation, SeedsParseAndPrint) {
  auto texts = seeds();
  ASSERT_GE(texts.size(), 5u) << "run with HWTUNE_TEST_SRC set to the checkout";
  for (const std::string &text : texts) {
    Expected<Module> module = parse(text);
    ASSERT_TRUE(bool(module)) << module.error().str() << "\n" << text;
    std::string once = print(*module);
    Expected<Module> again = parse(once);
    ASSERT_TRUE(bool(again)) << again.error().str() << "\n" << once;
    EXPECT_EQ(print(*again), once);
  }
}

/// Pieces of a text at which a token may begin.
std::vector<std::string> pieces(const std::string &text) {
  std::vector<std::string> out;
  std::string piece;
  for (char c : text) {
    bool word = std::isalnum(uint8_t(c)) || c == '_' || c == '$' || c == '%' ||
                c == '.';
    if (!word || (!piece.empty() && std::isspace(uint8_t(piece[0])))) {
      if (!piece.empty())
        out.push_back(piece);
      piece.clear();
    }
    piece += c;
    if (!word) {
      out.push_back(piece);
      piece.clear();
    }
  }
  out.push_back(piece);
  return out;
}

TEST(PtxMutation, DeletedDoubledAndSwappedTokens) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  unsigned accepted = 0, refused = 0;
  for (const std::string &text : seeds()) {
    std::vector<std::string> all = pieces(text);
    for (int round = 0; round < 300; ++round) {
      std::vector<std::string> some = all;
      for (unsigned change = 0; change <= random() % 3; ++change) {
        size_t i = random() % some.size(), j = random() % some.size();
        switch (random() % 4) {
        case 0:
          some.erase(some.begin() + long(i));
          break;
        case 1:
          some.insert(some.begin() + long(i), some[j]);
          break;
        case 2:
          std::swap(some[i], some[j]);
          break;
        default:
          some[i] = some[j];
          break;
        }
      }
      std::string damaged;
      for (const std::string &piece : some)
        damaged += piece;
      Expected<Module> module = parse(damaged);
      if (!module) {
        EXPECT_FALSE(module.error().where.empty());
        ++refused;
        continue;
      }
      ++accepted;
      std::string once = print(*module);
      Expected<Module> again = parse(once);
      ASSERT_TRUE(bool(again)) << again.error().str() << "\n" << once;
      ASSERT_EQ(print(*again), once);
    }
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(PtxMutation, EveryPrefixAndRandomBytes) {
  std::mt19937 random(2);
  for (const std::string &text : seeds())
    for (size_t length = 0; length < text.size(); length += 1 + length / 97)
      (void)bool(parse(std::string_view(text).substr(0, length)));
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 ? kHead : "";
    for (unsigned i = random() % 200; i > 0; --i)
      text += char(random());
    EXPECT_TRUE(!parse(text) || round % 2);
  }
}
} // namespace
