//===- RegistersTest.cpp - registers, arrays and loads of the assembler ---===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "hwtune/Simulator/Timing/PseudoSass.h"
#include "hwtune/Simulator/Timing/Registers.h"

#include <array>
#include <utility>

using namespace hwtune;
using namespace hwtune::timing;

namespace {

struct Loaded {
  explicit Loaded(const std::string &text) {
    auto module = ptx::parse(text);
    EXPECT_TRUE(module) << module.error().str();
    auto created = exec::Program::create(*module, memory);
    EXPECT_TRUE(created) << created.error().str();
    program = *created;
  }
  const exec::FunctionInfo &kernel() const {
    return *program->findFunction("k");
  }
  exec::GlobalMemory memory;
  std::shared_ptr<const exec::Program> program;
};

/// `count` loads, then their sum, then its store.
std::string sumOf(int count) {
  return kernel(
      "", repeat(count,
                 [](int i) {
                   return fmt::format("ld.global.f32 %f{}, [%rd0+{}];", i + 1,
                                      4 * i);
                 }) +
              "mov.f32 %f0, 0f00000000;\n" +
              repeat(count,
                     [](int i) {
                       return fmt::format("add.f32 %f0, %f0, %f{};", i + 1);
                     }) +
              "st.global.f32 [%rd0], %f0;");
}

TEST(RegisterPressure, LoadsNeedNotAllBeAlive) {
  // The address is a parameter, which needs no register. 48 values at most,
  // and 3 of the kernel's index; a load stands 4 additions before its own, so
  // 5 at least.
  Loaded sum(sumOf(48));
  EXPECT_GE(sum.kernel().leastRegisters, 5u);
  EXPECT_LE(sum.kernel().leastRegisters, 7u);
  EXPECT_GE(sum.kernel().hoistedRegisters, 48u);
  EXPECT_LE(sum.kernel().hoistedRegisters, 52u);
}

TEST(RegisterPressure, AccumulatorsStayAlive) {
  // 24 sums over the same 8 values, in an order that keeps all values alive.
  std::string body = repeat(8, [](int i) {
    return fmt::format("ld.global.f32 %f{}, [%rd0+{}];", 100 + i, 4 * i);
  });
  for (int sum = 0; sum < 24; ++sum)
    for (int i = 0; i < 8; ++i)
      body +=
          fmt::format("fma.rn.f32 %f{0}, %f{0}, %f{1}, %f{0};\n", sum, 100 + i);
  for (int sum = 0; sum < 24; ++sum)
    body += fmt::format("st.global.f32 [%rd0+{}], %f{};\n", 4 * sum, sum);
  Loaded sums(kernel("", body));
  EXPECT_GE(sums.kernel().leastRegisters, 24u);
  EXPECT_LE(sums.kernel().leastRegisters, 28u);
}

TEST(RegisterPressure, AGlobalStoreDoesNotHoldSharedLoads) {
  // Two sums of 64 shared values each, both stored at the end.
  std::string body;
  for (int i = 0; i < 64; ++i)
    for (int sum = 0; sum < 2; ++sum)
      body += fmt::format("ld.shared.f32 %f{0}, [{1}];\n"
                          "fma.rn.f32 %f{2}, %f{0}, %f{0}, %f{2};\n",
                          100 + 2 * i % 64 + sum, 8 * i + 4 * sum, sum);
  body += "st.global.f32 [%rd0], %f0;\nst.global.f32 [%rd0+4], %f1;\n";
  Loaded sums(kernel("", body, ".shared .b8 s[512];"));
  EXPECT_LE(sums.kernel().leastRegisters, 12u);
}

/// Four sums of 16 of 40 shared values; sum k begins at value 8 * k, so that
/// sums run apart by 8 where each value is loaded once and used at once. Each
/// step loads what is new to it.
std::string slidingSums() {
  std::string body;
  std::array<bool, 40> loaded{};
  for (int i = 0; i < 16; ++i)
    for (int sum = 0; sum < 4; ++sum) {
      int value = i + 8 * sum;
      if (!std::exchange(loaded[size_t(value)], true))
        body +=
            fmt::format("ld.shared.f32 %f{}, [{}];\n", 100 + value, 4 * value);
      body += fmt::format("fma.rn.f32 %f{0}, %f{1}, %f{1}, %f{0};\n", sum,
                          100 + value);
    }
  for (int sum = 0; sum < 4; ++sum)
    body += fmt::format("st.global.f32 [%rd0+{}], %f{};\n", 4 * sum, sum);
  return kernel("", body, ".shared .b8 s[160];");
}

TEST(RegisterPressure, ChainsRunApartWhereThatSavesValues) {
  Loaded sums(slidingSums());
  // Four sums, and the loads of four instructions.
  EXPECT_LE(sums.kernel().leastRegisters, 12u);
}

/// Two sums of 1,600 of 2,600 shared values, the second of which begins at
/// value 1,000, as `slidingSums`; then `end`.
std::string longSums(const char *end) {
  std::string body;
  for (int i = 0; i < 1600; ++i)
    for (int sum = 0; sum < 2; ++sum) {
      int value = i + 1000 * sum;
      if (sum == 1 || i < 1000)
        body += fmt::format("ld.shared.f32 %v{}, [{}];\n", value, 4 * value);
      body +=
          fmt::format("fma.rn.f32 %f{0}, %v{1}, %v{1}, %f{0};\n", sum, value);
    }
  return kernel(".reg .f32 %v<2600>;", body + end, ".shared .b8 s[10400];");
}

TEST(RegisterPressure, SumsMeetAtTheEndOfAWindow) {
  const char *store = "st.global.f32 [%rd0], %f0;\n"
                      "st.global.f32 [%rd0+4], %f1;\n";
  Loaded sums(longSums((std::string("setp.gt.f32 %p1, %f0, %f1;\n"
                                    "@%p1 bra L;\n") +
                        store + "L:\n")
                           .c_str()));
  EXPECT_LE(sums.kernel().leastRegisters, 12u);
  // 1,000 steps of two loads and two additions, then 32 of a load less make
  // 4,096. The second sum has loaded values 1,032 to 1,599 by then, the first
  // still needs them: 568 beside the sums.
  EXPECT_GE(sums.kernel().windowRegisters, 565u);
  EXPECT_LE(sums.kernel().windowRegisters, 580u);
  EXPECT_TRUE(sums.kernel().loadsMakeWindows); // 3,200 additions
  Loaded ends(longSums(store));                // the kernel, so it is not cut
  EXPECT_EQ(ends.kernel().windowRegisters, ends.kernel().leastRegisters);
  EXPECT_FALSE(ends.kernel().loadsMakeWindows);
}

exec::FunctionInfo needs(uint32_t least, uint32_t hoisted) {
  exec::FunctionInfo info;
  info.leastRegisters = least;
  info.hoistedRegisters = hoisted;
  return info;
}

TEST(RegisterEstimate, LatencyIsHiddenWhileAllThreadsStayResident) {
  // 65,536 registers: 64 for each of 1,024 threads, 32 for each of 2,048.
  auto on = [](const char *id) {
    return estimateRegisters(needs(20, 100), *knownTarget(id)).registers;
  };
  EXPECT_EQ(on("t4"), 64u);
  EXPECT_EQ(on("a100-sxm4-80gb"), 32u);
  // 20 * 1.08 + 4 = 25, 20 + 6 = 26; 60 * 1.08 + 4 = 68.
  EXPECT_EQ(estimateRegisters(needs(20, 20), *knownTarget("t4")).registers,
            26u);
  EXPECT_EQ(estimateRegisters(needs(60, 60), *knownTarget("t4")).registers,
            68u);
}

TEST(RegisterEstimate, WindowsWhereNotAllThreadsStayResident) {
  // 65,536 registers: 64 for each of 1,024 threads, 40 for each of 1,536.
  exec::FunctionInfo info = needs(30, 100); // and 20 more leave no room in 40
  info.windowRegisters = 300;
  EXPECT_EQ(estimateRegisters(info, *knownTarget("t4")).registers, 64u);
  RegisterEstimate small = estimateRegisters(info, *knownTarget("rtx-3090"));
  EXPECT_EQ(small.registers, 255u);
  EXPECT_EQ(small.spillBytes, (300u + 4 - 255) * 4);
  info.leastRegisters = 20;
  EXPECT_EQ(estimateRegisters(info, *knownTarget("rtx-3090")).registers, 40u);
  info.loadsMakeWindows = true; // then whatever room there is
  EXPECT_EQ(estimateRegisters(info, *knownTarget("rtx-3090")).registers, 255u);
  EXPECT_EQ(estimateRegisters(info, *knownTarget("t4")).registers, 255u);
}

TEST(RegisterEstimate, BoundsCutOffAtThePriceOfSpills) {
  TargetSpec a100 = *knownTarget("a100-sxm4-80gb");
  exec::FunctionInfo info = needs(100, 100); // 112 wanted
  EXPECT_EQ(estimateRegisters(info, a100).registers, 112u);
  EXPECT_EQ(estimateRegisters(info, a100).spillBytes, 0u);
  info.maxNTid = exec::Dim3{1024, 1, 1}; // 64 each
  EXPECT_EQ(estimateRegisters(info, a100).registers, 64u);
  EXPECT_EQ(estimateRegisters(info, a100).spillBytes, 48u * 4);
  info.maxNTid = exec::Dim3{256, 1, 1}; // 65,536 / (4 * 256) = 64
  info.minBlocksPerSM = 4;
  EXPECT_EQ(estimateRegisters(info, a100).registers, 64u);
  info.maxRegisters = 40;
  EXPECT_EQ(estimateRegisters(info, a100).registers, 40u);
  EXPECT_EQ(estimateRegisters(needs(300, 300), a100).registers, 255u);
}

/// Adds to places of an array of `words` words in turn, `vector` at a time.
std::string arrayLoop(int words, const char *vector, const char *values,
                      int step) {
  return kernel(
      fmt::format(".local .align 16 .b8 depot[{}];", 4 * words),
      fmt::format(
          "mov.u64 %rd1, depot;\nmov.u64 %rd2, %rd1;\nmov.u32 %r10, 0;\n"
          "st.local.f32 [%rd1+4], %f9;\n"
          "L: ld.local{0}.f32 {1}, [%rd2];\n"
          "add.f32 %f1, %f1, %f9;\n"
          "st.local{0}.f32 [%rd2], {1};\n"
          "add.s64 %rd2, %rd2, {2};\nadd.u32 %r10, %r10, {2};\n"
          "setp.lt.u32 %p1, %r10, {3};\n@%p1 bra L;\n",
          vector, values, step, 4 * words));
}

std::vector<uint32_t> slotsOf(const std::string &text) {
  Loaded loaded(text);
  std::vector<uint32_t> slots;
  for (const exec::InstMeta &inst : loaded.program->instructions())
    if (inst.isMemory)
      slots.push_back(inst.registerSlots);
  return slots;
}

TEST(LocalArrays, SmallOnesLiveInRegisters) {
  using Slots = std::vector<uint32_t>;
  // The store at a known index, then the load and the store in the loop.
  EXPECT_EQ(slotsOf(arrayLoop(4, "", "%f1", 4)), (Slots{1, 4, 4}));
  EXPECT_EQ(slotsOf(arrayLoop(8, "", "%f1", 4)), (Slots{0, 0, 0}));
  const char *four = "{%f1, %f2, %f3, %f4}";
  EXPECT_EQ(slotsOf(arrayLoop(32, ".v4", four, 16)), (Slots{1, 8, 8}));
  EXPECT_EQ(slotsOf(arrayLoop(64, ".v4", four, 16)), (Slots{0, 0, 0}));
}

TEST(LocalArrays, SelectionCostsMoves) {
  Launch one{1, 32};
  double four = time(arrayLoop(4, "", "%f1", 4), one).hardwareInsts;
  double eight = time(arrayLoop(8, "", "%f1", 4), one).hardwareInsts;
  // Four turns with 2 * (4 + 2) moves each, nothing for the first store;
  // eight turns with 2 accesses each, and the first store.
  EXPECT_NEAR(four - 4 * 12 - (eight - 17) / 2, 0, 3);
}

TEST(LocalMemory, EachLaneHasItsOwnWords) {
  // 8 loads and 9 stores of one warp, a word of 32 lanes is 4 sectors.
  TimingReport report = time(arrayLoop(8, "", "%f1", 4), {1, 32});
  EXPECT_EQ(report.launch.events.localLoadSectors, 32u);
  EXPECT_EQ(report.launch.events.localStoreSectors, 36u);
  // Stores go through to L2, 68 sectors do not fit 1 byte a clock there.
  TargetSpec slow = *knownTarget("a100-sxm4-80gb");
  slow.l2BytesPerClk = 1;
  TimingReport bound = time(arrayLoop(8, "", "%f1", 4), {1, 32}, {}, "", &slow);
  EXPECT_NEAR(bound.formula.breakdown.l2, 36 * 32, 1);
}

TEST(Hoisting, LoadsMoveUpTogether) {
  // Loads of one block keep their order, and pass what they do not need.
  Loaded loaded(kernel(
      "",
      "bar.sync 0;\n" + repeat(4,
                               [](int i) {
                                 return fmt::format(
                                     "ld.shared.f32 %f{0}, [{1}];\n"
                                     "fma.rn.f32 %f100, %f{0}, %f{0}, %f100;",
                                     i, 4 * i);
                               }),
      ".shared .b8 s[64];"));
  std::vector<uint8_t> moves =
      hoistDistances(loaded.program->instructions(), 2);
  std::vector<uint8_t> loads;
  for (const exec::InstMeta &inst : loaded.program->instructions())
    if (inst.isMemory)
      loads.push_back(moves[inst.id]);
  EXPECT_EQ(loads, (std::vector<uint8_t>{0, 1, 2, 2}));
}

TEST(Hoisting, LoadsPassStoresToOtherMemories) {
  auto last = [](const char *load) {
    Loaded loaded(kernel("",
                         fmt::format("bar.sync 0;\n"
                                     "mov.u32 %r10, 0;\n"
                                     "st.shared.f32 [%r10], %f1;\n"
                                     "{} %f2, [%rd0];\n",
                                     load),
                         ".shared .b8 s[64];"));
    std::vector<uint8_t> moves =
        hoistDistances(loaded.program->instructions(), 1);
    return moves[moves.size() - 2]; // before ret
  };
  EXPECT_EQ(last("ld.global.f32"), 1);
  EXPECT_EQ(last("ld.shared.f32"), 0);
  EXPECT_EQ(last("ld.f32"), 0);
}

TEST(Hoisting, AddressesMoveUpWithTheirLoads) {
  Loaded loaded(kernel("",
                       "bar.sync 0;\n"
                       "ld.global.f32 %f1, [%rd0];\n"
                       "st.shared.f32 [0], %f1;\n"
                       "mul.lo.s64 %rd1, %rd0, 3;\n"  // over both, no further
                       "ld.global.f32 %f2, [%rd1];\n" // over the store
                       "st.shared.f32 [4], %f2;\n"
                       "mul.lo.s64 %rd2, %rd0, 5;\n", // no address: stays
                       ".shared .b8 s[64];"));
  auto insts = loaded.program->instructions();
  std::vector<uint8_t> moves = hoistDistances(insts, 8), found;
  bool inside = false;
  for (const exec::InstMeta &inst : insts) {
    if (inside && inst.cls != exec::InstClass::Control)
      found.push_back(moves[inst.id]);
    inside |= inst.name.starts_with("bar");
  }
  EXPECT_EQ(found, (std::vector<uint8_t>{0, 0, 2, 1, 0, 0}));
}

TEST(Schedulers, SmallBlocksUseAllOfThem) {
  std::string text = kernel(
      "", repeat(128, [](int i) {
        return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f200, %f201;", i % 8);
      }));
  TimingOptions options;
  options.mechanisms.blockStarts = false; // of which there are twice as many
  double small = time(text, {108 * 16, 64}, options).simulation.cycles;
  double large = time(text, {108 * 8, 128}, options).simulation.cycles;
  EXPECT_NEAR(small / large, 1, 0.05);
}

} // namespace
