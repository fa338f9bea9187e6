//===- SimulatorSpeed.cpp - warp instructions a second --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints how fast one core executes PTX (functional mode: plain, with event
// counts, with checks), and how long it takes to time a launch (timed mode).
// The kernels are written here; each result of the functional mode is compared
// with the host. Time is the thread's CPU time, the best of several runs.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Target/KnownTargets.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <ctime>

using namespace hwtune;
using namespace hwtune::exec;

namespace {

double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

constexpr const char *kHeader =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

/// fp32 C += A B for 128 x 128 x 16 tiles, 256 threads, 8 x 8 each; row-major,
/// side n a multiple of 128.
std::string matmulPtx(int n) {
  std::string s = kHeader;
  s += ".visible .entry matmul(.param .u64 pa, .param .u64 pb, .param .u64 pc) "
       ".maxntid 256, 1, 1 {\n"
       ".reg .pred %p; .reg .b32 %t, %tx, %ty, %bx, %by, %k, %sa, %sb, %la, "
       "%lb, %r<8>; .reg .f32 %acc<64>, %a<8>, %b<8>, %g<16>;\n"
       ".reg .b64 %pa, %pb, %pc, %rd<8>; .shared .align 16 .b8 as[8192]; "
       ".shared .align 16 .b8 bs[8192];\n"
       "ld.param.u64 %pa, [pa]; ld.param.u64 %pb, [pb]; ld.param.u64 %pc, "
       "[pc];\n"
       "mov.u32 %t, %tid.x; and.b32 %tx, %t, 15; shr.u32 %ty, %t, 4; mov.u32 "
       "%bx, %ctaid.x; mov.u32 %by, %ctaid.y;\n";
  // Global addresses of this thread's part of the tiles.
  s += fmt::format("shr.u32 %r0, %t, 1; and.b32 %r1, %t, 1; shl.b32 %r2, %by, "
                   "7; add.u32 %r2, %r2, %r0; mul.wide.u32 %rd0, %r2, {0};"
                   "mul.wide.u32 %rd1, %r1, 32; add.u64 %rd0, %rd0, %rd1; "
                   "add.u64 %pa, %pa, %rd0;\n"
                   "mul.wide.u32 %rd0, %ty, {0}; shl.b32 %r2, %bx, 9; shl.b32 "
                   "%r3, %tx, 5; add.u32 %r2, %r2, %r3; cvt.u64.u32 %rd1, %r2;"
                   "add.u64 %rd0, %rd0, %rd1; add.u64 %pb, %pb, %rd0;\n",
                   n * 4);
  // Shared addresses: A is stored transposed, as[k][row].
  s += "mov.u32 %sa, as; mov.u32 %sb, bs; shl.b32 %r4, %r1, 12; shl.b32 %r5, "
       "%r0, 2; add.u32 %r4, %r4, %r5; add.u32 %r6, %sa, %r4;\n"
       "shl.b32 %r5, %ty, 9; add.u32 %r5, %r5, %r3; add.u32 %r7, %sb, %r5; "
       "shl.b32 %la, %ty, 5; add.u32 %la, %la, %sa; shl.b32 %lb, %tx, 5; "
       "add.u32 %lb, %lb, %sb;\n";
  for (int i = 0; i < 64; ++i)
    s += fmt::format("mov.f32 %acc{}, 0f00000000;\n", i);
  s += "mov.u32 %k, 0;\nLOOP:\n";
  for (int h = 0; h < 2; ++h) {
    int g = 4 * h;
    s += fmt::format("ld.global.v4.f32 {{%g{},%g{},%g{},%g{}}}, [%pa+{}];\n", g,
                     g + 1, g + 2, g + 3, 16 * h);
    s += fmt::format("ld.global.v4.f32 {{%g{},%g{},%g{},%g{}}}, [%pb+{}];\n",
                     8 + g, 9 + g, 10 + g, 11 + g, 16 * h);
  }
  for (int i = 0; i < 8; ++i)
    s += fmt::format("st.shared.f32 [%r6+{}], %g{};\n", 512 * i, i);
  s += "st.shared.v4.f32 [%r7], {%g8,%g9,%g10,%g11}; st.shared.v4.f32 "
       "[%r7+16], {%g12,%g13,%g14,%g15};\nbar.sync 0;\n";
  for (int k = 0; k < 16; ++k) {
    for (const char *x : {"a", "b"})
      s += fmt::format(
          "ld.shared.v4.f32 {{%{0}0,%{0}1,%{0}2,%{0}3}}, [%l{0}+{1}]; "
          "ld.shared.v4.f32 {{%{0}4,%{0}5,%{0}6,%{0}7}}, [%l{0}+{2}];\n",
          x, 512 * k, 512 * k + 16);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        s += fmt::format("fma.rn.f32 %acc{0}, %a{1}, %b{2}, %acc{0};\n",
                         8 * i + j, i, j);
  }
  s +=
      fmt::format("bar.sync 0; add.u64 %pa, %pa, 64; add.u64 %pb, %pb, {}; "
                  "add.u32 %k, %k, 16; setp.lt.u32 %p, %k, {}; @%p bra LOOP;\n",
                  64 * n, n);
  s += fmt::format("shl.b32 %r0, %by, 7; shl.b32 %r1, %ty, 3; add.u32 %r0, "
                   "%r0, %r1; mul.wide.u32 %rd0, %r0, {}; cvt.u64.u32 %rd1, "
                   "%r2; add.u64 %rd0, %rd0, %rd1; add.u64 %pc, %pc, %rd0;\n",
                   n * 4);
  for (int i = 0; i < 8; ++i)
    for (int h = 0; h < 2; ++h)
      s += fmt::format(
          "st.global.v4.f32 [%pc+{}], {{%acc{},%acc{},%acc{},%acc{}}};\n",
          i * n * 4 + 16 * h, 8 * i + 4 * h, 8 * i + 4 * h + 1,
          8 * i + 4 * h + 2, 8 * i + 4 * h + 3);
  return s + "ret;\n}\n";
}

/// Branchy integers: each thread hashes `rounds` times with data-dependent
/// branches and a predicated shared atomic.
constexpr const char *kHash = R"(
.visible .entry hash(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p<4>; .reg .b32 %h, %i, %n, %x, %y, %b, %r<8>; .reg .b64 %out, %rd<4>; .shared .align 4 .b8 bins[256];
  ld.param.u64 %out, [out]; ld.param.u32 %n, [rounds];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
  mov.u32 %b, bins; setp.lt.u32 %p0, %r0, 64; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %b; @%p0 st.shared.u32 [%r4], 0; bar.sync 0;
  mad.lo.u32 %h, %r3, 0x9E3779B1, 12345; mov.u32 %i, 0;
LOOP:
  shr.u32 %x, %h, 15; xor.b32 %h, %h, %x; mul.lo.u32 %h, %h, 0x2C1B3C6D; shf.l.wrap.b32 %y, %h, %h, 13; xor.b32 %h, %h, %y;
  and.b32 %x, %h, 0x700; setp.eq.u32 %p1, %x, 0; @%p1 bra RARE;
  add.u32 %h, %h, %i; bra NEXT;
RARE:
  mad.lo.u32 %h, %h, 5, 7; and.b32 %y, %h, 0xfc; add.u32 %y, %y, %b; setp.gt.s32 %p2, %h, 0; @%p2 red.shared.add.u32 [%y], 1;
NEXT:
  and.b32 %x, %h, 1; setp.ne.u32 %p3, %x, 0; @%p3 xor.b32 %h, %h, 0x5bd1e995;
  min.u32 %x, %h, %i; max.s32 %y, %x, %h; selp.b32 %x, %x, %y, %p3; add.u32 %h, %h, %x; shr.u32 %y, %h, 3; lop3.b32 %h, %h, %y, %x, 0x96;
  add.u32 %i, %i, 1; setp.lt.u32 %p0, %i, %n; @%p0 bra LOOP;
  mul.wide.u32 %rd0, %r3, 4; add.u64 %rd1, %out, %rd0; st.global.u32 [%rd1], %h;
  ret;
}
)";
uint32_t hashOnHost(uint32_t id, uint32_t rounds) {
  uint32_t h = id * 0x9E3779B1u + 12345;
  for (uint32_t i = 0; i < rounds; ++i) {
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= (h << 13) | (h >> 19);
    h = (h & 0x700) == 0 ? h * 5 + 7 : h + i;
    bool odd = h & 1;
    if (odd)
      h ^= 0x5bd1e995u;
    uint32_t x = std::min(h, i), y = uint32_t(std::max(int32_t(x), int32_t(h)));
    x = odd ? x : y;
    h += x;
    h = h ^ (h >> 3) ^ x;
  }
  return h;
}

/// Collatz lengths: loops of very different lengths in one warp.
constexpr const char *kCollatz = R"(
.visible .entry collatz(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %n, %c, %x, %r<4>; .reg .b64 %out, %rd<4>;
  ld.param.u64 %out, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
  add.u32 %n, %r3, 1; mov.u32 %c, 0;
LOOP: setp.le.u32 %p0, %n, 1; @%p0 bra DONE; and.b32 %x, %n, 1; setp.eq.u32 %p1, %x, 0; @%p1 bra EVEN; mad.lo.u32 %n, %n, 3, 1; bra NEXT;
EVEN: shr.u32 %n, %n, 1;
NEXT: add.u32 %c, %c, 1; bra LOOP;
DONE: mul.wide.u32 %rd0, %r3, 4; add.u64 %rd1, %out, %rd0; st.global.u32 [%rd1], %c; ret;
}
)";

class Bench {
public:
  explicit Bench(const std::string &ptx) {
    auto module = ptx::parse(ptx);
    if (!module) {
      fmt::print("parse error: {}\n", module.error().str());
      return;
    }
    auto p = Program::create(*module, memory);
    if (!p)
      fmt::print("error: {}\n", p.error().str());
    else
      program = *p;
  }

  LaunchRequest request(Dim3 grid, Dim3 block,
                        const std::vector<uint64_t> &args) {
    LaunchRequest q;
    q.function = &program->functions()[0];
    q.grid = grid;
    q.block = block;
    params.resize(q.function->paramBytes);
    for (size_t i = 0; i < args.size(); ++i)
      memcpy(params.data() + q.function->params[i].offset, &args[i],
             q.function->params[i].bytes);
    q.params = params;
    return q;
  }

  LaunchResult run(Dim3 grid, Dim3 block, const std::vector<uint64_t> &args,
                   const LaunchOptions &options) {
    LaunchRequest q = request(grid, block, args);
    q.options = options;
    return launch(*program, memory, q);
  }

  /// Seconds that the timed mode takes for a launch, and those it predicts.
  void reportTimed(const char *name, const TargetSpec &target, Dim3 grid,
                   Dim3 block, const std::vector<uint64_t> &args) {
    double best = 1e9;
    timing::TimingReport report;
    for (int i = 0; i < 3; ++i) {
      double start = cpuSeconds();
      report = timing::timeLaunch(*program, memory, request(grid, block, args),
                                  target);
      best = std::min(best, cpuSeconds() - start);
    }
    if (report.launch.ok())
      fmt::print("{}: {:.2f} s to time it; {:.2f} ms on {} (simulated)\n", name,
                 best, report.seconds * 1e3, target.id);
    else
      fmt::print("{}: {}\n", name, report.launch.diagnostic.str());
  }

  /// Speed in million warp instructions a second, in three modes.
  void report(const char *name, Dim3 grid, Dim3 block,
              std::vector<uint64_t> args, std::vector<uint64_t> blocks = {}) {
    LaunchOptions options;
    options.blocks = blocks;
    options.countEvents = true;
    LaunchResult counted = run(grid, block, args, options);
    if (!counted.ok()) {
      fmt::print("{}: {}\n", name, counted.diagnostic.str());
      return;
    }
    double n = double(counted.events.instExecuted);
    auto time = [&](bool count, bool check) {
      double best = 1e9;
      for (int i = 0; i < (check ? 1 : 5); ++i) {
        LaunchOptions o;
        o.blocks = blocks;
        o.countEvents = count;
        o.check = check;
        double start = cpuSeconds();
        run(grid, block, args, o);
        best = std::min(best, cpuSeconds() - start);
      }
      return best;
    };
    double plain = time(false, false), count = time(true, false),
           check = time(false, true);
    fmt::print(
        "{:<10} {:>12.0f} {:>10.1f} {:>10.1f} {:>7.1f}% {:>10.1f} {:>8.1f}\n",
        name, n, n / plain / 1e6, n / count / 1e6, (count / plain - 1) * 100,
        n / check / 1e6, double(counted.events.threadInstExecuted) / n);
  }

  GlobalMemory memory;
  std::shared_ptr<const Program> program;

private:
  std::vector<std::byte> params; ///< of the last request
};

bool matmul() {
  const int n = 1024;
  Bench b(matmulPtx(n));
  if (!b.program)
    return false;
  size_t bytes = size_t(n) * n * 4;
  auto pa = b.memory.allocate(bytes), pb = b.memory.allocate(bytes),
       pc = b.memory.allocate(bytes);
  auto *A = reinterpret_cast<float *>(b.memory.host(pa, bytes)),
       *B = reinterpret_cast<float *>(b.memory.host(pb, bytes)),
       *C = reinterpret_cast<float *>(b.memory.host(pc, bytes));
  for (int i = 0; i < n * n; ++i) {
    A[i] = float(i % 17 - 8);
    B[i] = float(i % 13 - 6);
  }
  b.report("matmul", {n / 128, n / 128, 1}, {256, 1, 1}, {pa, pb, pc},
           {0, 9, 18, 63});
  for (int i : {0, 5, 127, 130, 1023})
    for (int j : {0, 77, 127, 200, 1020}) {
      int block = i / 128 * 8 + j / 128;
      if (block != 0 && block != 9 && block != 63)
        continue;
      float want = 0;
      for (int k = 0; k < n; ++k)
        want = std::fma(A[i * n + k], B[k * n + j], want);
      if (C[i * n + j] != want) {
        fmt::print("matmul: C[{}][{}] = {}, expected {}\n", i, j, C[i * n + j],
                   want);
        return false;
      }
    }
  return true;
}

/// One candidate of the timed mode: the matmul above at 4096.
bool timedMatmul() {
  const uint32_t n = 4096;
  Bench b(matmulPtx(n));
  Expected<TargetSpec> target = knownTarget("a100-sxm4-80gb");
  if (!b.program || !target)
    return false;
  std::vector<uint64_t> args;
  for (int operand = 0; operand < 3; ++operand)
    args.push_back(b.memory.allocate(size_t(n) * n * 4));
  b.reportTimed("fp32 matmul 4096 x 4096 x 4096", *target,
                {n / 128, n / 128, 1}, {256, 1, 1}, args);
  return true;
}

template <typename F>
bool perThread(const char *name, const char *ptx, std::vector<uint64_t> more,
               F expected) {
  Bench b(std::string(kHeader) + ptx);
  if (!b.program)
    return false;
  const uint32_t threads = 64 * 256;
  auto out = b.memory.allocate(threads * 4);
  std::vector<uint64_t> args{out};
  args.insert(args.end(), more.begin(), more.end());
  b.report(name, {threads / 256, 1, 1}, {256, 1, 1}, args);
  auto *values = reinterpret_cast<uint32_t *>(b.memory.host(out, threads * 4));
  for (uint32_t i = 0; i < threads; i += 97)
    if (values[i] != expected(i)) {
      fmt::print("{}: thread {} gave {}, expected {}\n", name, i, values[i],
                 expected(i));
      return false;
    }
  return true;
}

} // namespace

int main() {
  fmt::print("vector unit: {}\n\nfunctional mode, million warp instructions a "
             "second\n",
             hostVectorUnit());
  fmt::print("{:<10} {:>12} {:>10} {:>10} {:>8} {:>10} {:>8}\n", "kernel",
             "warp inst", "M/s", "counting", "extra", "checking", "lanes");
  bool ok = matmul();
  ok &= perThread("hash", kHash, {200},
                  [](uint32_t i) { return hashOnHost(i, 200); });
  ok &= perThread("collatz", kCollatz, {}, [](uint32_t i) {
    uint32_t c = 0;
    for (uint32_t n = i + 1; n > 1; ++c)
      n = n % 2 ? 3 * n + 1 : n / 2;
    return c;
  });
  fmt::print("\ntimed mode\n");
  ok &= timedMatmul();
  return ok ? 0 : 1;
}
