//===- ElementsTest.cpp - element types, inputs, comparison ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/Random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace hwtune;

namespace {

constexpr ElementType kAll[] = {
    ElementType::F64,  ElementType::F32,    ElementType::F16,
    ElementType::BF16, ElementType::F8E4M3, ElementType::F8E5M2,
    ElementType::I64,  ElementType::I32,    ElementType::I16,
    ElementType::I8,   ElementType::I1};

unsigned bitsOf(ElementType type, double value) {
  std::byte bytes[8] = {};
  encodeElement(type, value, bytes);
  unsigned bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

double valueOf(ElementType type, unsigned bits) {
  std::byte bytes[8] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  return decodeElement(type, bytes);
}

std::vector<std::byte> floats(const std::vector<float> &values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Comparison compareFloats(const std::vector<float> &got,
                         const ExpectedValues &expected, double relative,
                         double absolute) {
  ExpectedDesc desc;
  desc.relative = relative;
  desc.absolute = absolute;
  return compareElements(ElementType::F32, floats(got), expected, desc);
}

} // namespace

TEST(Elements, KnownBitPatterns) {
  using enum ElementType;
  EXPECT_EQ(bitsOf(F16, 1), 0x3c00u);
  EXPECT_EQ(bitsOf(F16, -2), 0xc000u);
  EXPECT_EQ(bitsOf(F16, 65504), 0x7bffu);
  EXPECT_EQ(bitsOf(F16, 65519.99), 0x7bffu);
  EXPECT_EQ(bitsOf(F16, 65520), 0x7c00u); // half way: to even, infinity
  EXPECT_EQ(bitsOf(F16, std::ldexp(1, -24)), 0x0001u);
  EXPECT_EQ(bitsOf(F16, std::ldexp(1, -25)), 0x0000u);
  EXPECT_EQ(bitsOf(F16, std::ldexp(1023.5, -24)), 0x0400u);
  EXPECT_EQ(bitsOf(BF16, 1), 0x3f80u);
  EXPECT_EQ(bitsOf(BF16, 1.00390625), 0x3f80u); // 1 + 2^-8: to even
  EXPECT_EQ(bitsOf(BF16, 1.01171875), 0x3f82u); // 1 + 3 * 2^-8: to even
  EXPECT_EQ(bitsOf(F8E4M3, 448), 0x7eu);
  EXPECT_EQ(bitsOf(F8E4M3, 480), 0x7fu); // no infinity: NaN
  EXPECT_EQ(bitsOf(F8E4M3, 1), 0x38u);
  EXPECT_EQ(bitsOf(F8E5M2, 57344), 0x7bu);
  EXPECT_EQ(bitsOf(F8E5M2, 1e9), 0x7cu);
  EXPECT_TRUE(std::isnan(valueOf(F8E4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(valueOf(F16, 0x7c01)));
  EXPECT_EQ(valueOf(F16, 0xfc00), -INFINITY);
  EXPECT_EQ(maxFinite(F16), 65504);
  EXPECT_EQ(maxFinite(F8E4M3), 448);
  EXPECT_EQ(maxFinite(F8E5M2), 57344);
  EXPECT_EQ(maxFinite(BF16), 0x1.fep127);
  EXPECT_EQ(valueOf(I8, 0xff), -1);
  EXPECT_EQ(bitsOf(I8, 257), 1u);
  EXPECT_EQ(bitsOf(I1, 5), 1u);
}

// Every pattern of the small types survives decoding and encoding, and every
// value between two neighbours goes to the nearer one.
TEST(Elements, SmallTypesExhaustively) {
  using enum ElementType;
  for (ElementType type : {F16, BF16, F8E4M3, F8E5M2}) {
    unsigned count = sizeInBytes(type) == 1 ? 1u << 8 : 1u << 16;
    for (unsigned bits = 0; bits < count; ++bits) {
      double value = valueOf(type, bits);
      if (std::isnan(value))
        continue;
      ASSERT_EQ(bitsOf(type, value), bits) << toString(type);
      double next = valueOf(type, bits + 1);
      if (bits + 1 >= count / 2 || !std::isfinite(next))
        continue;
      double middle = (value + next) / 2;
      ASSERT_EQ(bitsOf(type, std::nextafter(middle, value)), bits);
      ASSERT_EQ(bitsOf(type, std::nextafter(middle, next)), bits + 1);
      ASSERT_EQ(bitsOf(type, middle), bits + (bits & 1)) << "ties to even";
    }
  }
}

TEST(Generator, ValuesAreExactAndInRange) {
  for (ElementType type : kAll) {
    std::set<double> seen;
    for (uint64_t i = 0; i < 4096; ++i) {
      double v = generatedValue(7, i, type);
      ASSERT_EQ(roundToType(type, v), v) << toString(type);
      if (isFloat(type)) {
        ASSERT_GE(std::fabs(v), 0.25);
        ASSERT_LE(std::fabs(v), 1.25);
      } else if (type == ElementType::I1) {
        ASSERT_TRUE(v == 0 || v == 1);
      } else {
        ASSERT_TRUE(v != 0 && std::fabs(v) <= 8);
      }
      seen.insert(v);
    }
    // Spread over what the type can show.
    size_t least = type == ElementType::I1 ? 2 : isFloat(type) ? 8 : 16;
    if (significandBits(type) >= 11)
      least = 1000;
    EXPECT_GE(seen.size(), least) << toString(type);
  }
}

TEST(Generator, UsesTheFullPrecisionOfF32) {
  int coarse = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    double v = generatedValue(1, i, ElementType::F32);
    coarse += roundToType(ElementType::BF16, v) == v;
  }
  EXPECT_LT(coarse, 10);
}

TEST(Generator, AnyElementCanBeRecomputed) {
  for (ElementType type : kAll) {
    size_t size = static_cast<size_t>(sizeInBytes(type));
    std::vector<std::byte> all(100 * size), tail(40 * size);
    generate(3, type, all);
    generate(3, type, tail, 60);
    EXPECT_EQ(std::memcmp(all.data() + 60 * size, tail.data(), tail.size()), 0);
    for (uint64_t i = 0; i < 100; ++i)
      ASSERT_EQ(decodeElement(type, all.data() + i * size),
                generatedValue(3, i, type))
          << toString(type);
  }
}

TEST(Generator, SeedsDiffer) {
  int same = 0;
  for (uint64_t i = 0; i < 1000; ++i)
    same += generatedValue(1, i, ElementType::F32) ==
            generatedValue(2, i, ElementType::F32);
  EXPECT_LT(same, 3);
}

// A change of the formula would make old expected values wrong: it must come
// with a new kGeneratorVersion.
TEST(Generator, ValuesOfThisVersion) {
  EXPECT_EQ(kGeneratorVersion, 1);
  EXPECT_EQ(generatedValue(0, 0, ElementType::I32), -2);
  EXPECT_EQ(generatedValue(42, 1000, ElementType::F16), 1.09375);
}

TEST(ExpectedFile, RoundTrip) {
  std::string file = "abc"; // something before: the section is aligned
  ExpectedDesc full, partial;
  appendExpected(file, {{}, {1, 2}, {3, 4}}, full);
  appendExpected(file, {{5, 9}, {-1, NAN}, {0, 1}}, partial);
  EXPECT_EQ(full.offset, 8u);
  EXPECT_EQ(full.count, 2u);
  EXPECT_FALSE(full.partial);
  EXPECT_EQ(partial.offset, 40u);
  EXPECT_TRUE(partial.partial);
  auto a = readExpected(file, full, 2);
  ASSERT_TRUE(bool(a)) << a.error().message;
  EXPECT_EQ(a->values, (std::vector<double>{1, 2}));
  EXPECT_EQ(a->bounds, (std::vector<double>{3, 4}));
  auto b = readExpected(file, partial, 10);
  ASSERT_TRUE(bool(b)) << b.error().message;
  EXPECT_EQ(b->indices, (std::vector<uint64_t>{5, 9}));
  EXPECT_TRUE(std::isnan(b->values[1]));
}

TEST(ExpectedFile, BadSections) {
  std::string file;
  ExpectedDesc desc;
  appendExpected(file, {{1, 2}, {1, 2}, {0, 0}}, desc);
  auto error = [&](ExpectedDesc d, int64_t elements) {
    auto r = readExpected(file, d, elements);
    return r ? "no error" : r.error().message;
  };
  EXPECT_EQ(error(desc, 2), "expected values of buffer 0: index 2 of 2 "
                            "elements");
  EXPECT_EQ(error(desc, 1), "expected values of buffer 0: 2 values for 1 "
                            "elements");
  ExpectedDesc far = desc;
  far.offset = 4;
  EXPECT_EQ(error(far, 3), "expected values of buffer 0: offset 4 is no "
                           "multiple of 8");
  far.offset = 8;
  EXPECT_EQ(error(far, 3), "expected values of buffer 0: 2 values from byte 8 "
                           "on do not fit in a file of 48 bytes");
  far.offset = UINT64_MAX - 7;
  EXPECT_NE(error(far, 3), "no error");
  far = desc;
  far.count = UINT64_MAX;
  EXPECT_NE(error(far, 3), "no error");
  far = desc;
  far.partial = false;
  EXPECT_EQ(error(far, 3), "expected values of buffer 0: 2 values for 3 "
                           "elements");
  for (double bound : {-1.0, double(NAN), double(INFINITY)}) {
    file.clear();
    appendExpected(file, {{1}, {1}, {bound}}, desc);
    EXPECT_NE(error(desc, 3).find("expected a finite number of 0 or more"),
              std::string::npos);
  }
  file.clear();
  appendExpected(file, {{2, 1}, {1, 2}, {0, 0}}, desc);
  EXPECT_EQ(error(desc, 3), "expected values of buffer 0: index 1 after 2, "
                            "expected ascending indices");
}

TEST(Compare, TolerancePerElement) {
  ExpectedValues expected{{}, {1, 2, 100}, {1, 10, 0}};
  // tolerance = 0.1 * bound + 0.01: 0.11, 1.01, 0.01
  EXPECT_TRUE(compareFloats({1.1f, 2.9f, 100}, expected, 0.1, 0.01).ok());
  Comparison c = compareFloats({1.1f, 3.1f, 100.5f}, expected, 0.1, 0.01);
  EXPECT_EQ(c.bad, 2);
  EXPECT_EQ(c.badIndex, 1u);
  EXPECT_EQ(c.checked, 3);
  EXPECT_NEAR(c.maxAbs, 1.1, 1e-6);
  EXPECT_NEAR(c.maxRel, 0.55, 1e-6);
  EXPECT_EQ(c.describe("C"), "element 1 of `C`: got 3.0999999046325684, "
                             "expected 2, tolerance 1.01 (2 of 3 elements are "
                             "wrong)");
}

TEST(Compare, SpecialValues) {
  const float nan = NAN, inf = INFINITY;
  auto right = [](float got, double value) {
    return compareFloats({got}, {{}, {value}, {1}}, 1, 1).ok();
  };
  EXPECT_TRUE(right(nan, NAN));
  EXPECT_FALSE(right(nan, 1));
  EXPECT_FALSE(right(1, NAN));
  EXPECT_TRUE(right(inf, INFINITY));
  EXPECT_FALSE(right(-inf, INFINITY));
  EXPECT_FALSE(right(inf, 1));
  EXPECT_FALSE(right(1, INFINITY));
  EXPECT_TRUE(right(inf, 1e300)); // rounds to infinity
  EXPECT_FALSE(right(-inf, 1e300));
}

TEST(Compare, PoisonIsNeverRight) {
  std::vector<std::byte> poison(8, poisonByte(ElementType::F32));
  ExpectedDesc desc;
  desc.absolute = 1e9;
  Comparison c =
      compareElements(ElementType::F32, poison, {{}, {NAN, 1}, {0, 0}}, desc);
  EXPECT_EQ(c.bad, 2);
  EXPECT_TRUE(c.badUnwritten);
  EXPECT_EQ(c.describe("C"), "element 0 of `C`: never written, expected nan, "
                             "tolerance 1e+09 (2 of 2 elements are wrong)");
}

TEST(Compare, IntegersAreExact) {
  std::vector<std::byte> bytes(8);
  encodeElement(ElementType::I32, 5, bytes.data());
  encodeElement(ElementType::I32, 7, bytes.data() + 4);
  ExpectedDesc desc;
  desc.absolute = 100; // does not count
  Comparison c =
      compareElements(ElementType::I32, bytes, {{}, {5, 6}, {0, 0}}, desc);
  EXPECT_EQ(c.bad, 1);
  EXPECT_EQ(c.badIndex, 1u);
}

TEST(Compare, PartialLooksAtItsIndicesOnly) {
  ExpectedValues expected{{1, 3}, {2, 4}, {0, 0}};
  EXPECT_TRUE(compareFloats({9, 2, 9, 4}, expected, 0, 0).ok());
  Comparison c = compareFloats({9, 2, 9, 5}, expected, 0, 0);
  EXPECT_EQ(c.badIndex, 3u);
}
