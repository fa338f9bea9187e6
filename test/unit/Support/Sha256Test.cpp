//===- Sha256Test.cpp - SHA-256 against published digests -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Sha256.h"

#include <gtest/gtest.h>

using namespace hwtune;

// FIPS 180-4 / NIST CAVP example values.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb924"
                           "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223"
                              "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigest) {
  std::string text(200, 'x');
  for (size_t cut : {0, 1, 55, 56, 63, 64, 65, 119, 200}) {
    Sha256 hash;
    hash.update(std::string_view(text).substr(0, cut));
    hash.update(std::string_view(text).substr(cut));
    std::string hex;
    for (uint8_t byte : hash.finish()) {
      char pair[3];
      snprintf(pair, sizeof(pair), "%02x", byte);
      hex += pair;
    }
    EXPECT_EQ(hex, sha256Hex(text)) << cut;
  }
}
