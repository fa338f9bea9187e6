//===- OpsBuiltin.cpp - vprintf, assertions, device-side malloc -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Ops.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hwtune::exec {

namespace {

/// Reads of a built-in function; they fault as loads do.
class LaneMemory {
public:
  LaneMemory(Warp *W, const Inst *I, uint32_t lane) : W(W), I(I), lane(lane) {
    desc.space = AddrSpace::Generic;
    desc.laneBytes = 1;
  }
  bool byte(uint64_t address, char &out) {
    std::byte *p = resolveLane(W, desc, address, lane, 1, I);
    if (p)
      out = char(*p);
    return p;
  }
  bool bytes(uint64_t address, void *out, size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (!byte(address + i, static_cast<char *>(out)[i]))
        return false;
    return true;
  }
  bool string(uint64_t address, std::string &out) {
    for (char c = 1; out.size() < 65536; out += c)
      if (!byte(address + out.size(), c))
        return false;
      else if (!c)
        return true;
    return true;
  }

private:
  Warp *W;
  const Inst *I;
  uint32_t lane;
  MemDesc desc;
};

/// The printf of one thread. Arguments are packed as the compilers do: each
/// aligned to its size, floats as doubles, integers of 4 or 8 bytes.
class Formatter {
public:
  Formatter(LaneMemory &memory, uint64_t args) : memory(memory), next(args) {}

  /// Arguments that `format` took.
  uint64_t taken() const { return count; }

  bool format(const std::string &text, std::string &out) {
    for (size_t i = 0; i < text.size();) {
      if (text[i] != '%') {
        out += text[i++];
        continue;
      }
      if (i + 1 < text.size() && text[i + 1] == '%') {
        out += '%';
        i += 2;
        continue;
      }
      if (!conversion(text, i, out))
        return false;
    }
    return true;
  }

private:
  template <typename T> bool take(T &value) {
    next = (next + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bool ok = memory.bytes(next, &value, sizeof(T));
    next += sizeof(T);
    ++count;
    return ok;
  }

  bool number(const std::string &text, size_t &i, std::string &spec) {
    if (i < text.size() && text[i] == '*') {
      int32_t v;
      if (!take(v))
        return false;
      spec += std::to_string(std::clamp(v, -1000, 1000));
      ++i;
    }
    std::string digits;
    while (i < text.size() && isdigit(static_cast<unsigned char>(text[i])))
      digits += text[i++];
    if (!digits.empty())
      spec += digits.size() > 3 ? "1000" : digits;
    return true;
  }

  bool conversion(const std::string &text, size_t &i, std::string &out) {
    std::string spec = "%";
    ++i;
    while (i < text.size() && strchr("-+ #0", text[i]))
      spec += text[i++];
    if (!number(text, i, spec))
      return false;
    if (i < text.size() && text[i] == '.') {
      spec += text[i++];
      if (!number(text, i, spec))
        return false;
    }
    bool wide = false;
    while (i < text.size() && strchr("hljztL", text[i]))
      wide |= strchr("ljzt", text[i++]) != nullptr;
    if (i >= text.size())
      return true;
    char c = text[i++];
    char buffer[2048];
    if (strchr("di", c)) {
      int64_t v = 0;
      int32_t n = 0;
      if (!(wide ? take(v) : take(n)))
        return false;
      snprintf(buffer, sizeof(buffer), (spec + "lld").c_str(),
               static_cast<long long>(wide ? v : n));
    } else if (strchr("uoxXc", c)) {
      uint64_t v = 0;
      uint32_t n = 0;
      if (!(wide && c != 'c' ? take(v) : take(n)))
        return false;
      if (c == 'c')
        snprintf(buffer, sizeof(buffer), (spec + "c").c_str(), int(n));
      else
        snprintf(buffer, sizeof(buffer), (spec + "ll" + c).c_str(),
                 static_cast<unsigned long long>(wide ? v : n));
    } else if (strchr("fFeEgGaA", c)) {
      double v;
      if (!take(v))
        return false;
      snprintf(buffer, sizeof(buffer), (spec + c).c_str(), v);
    } else if (c == 'p') {
      uint64_t v;
      if (!take(v))
        return false;
      snprintf(buffer, sizeof(buffer), "0x%llx",
               static_cast<unsigned long long>(v));
    } else if (c == 's') {
      uint64_t v;
      std::string s;
      if (!take(v) || (v && !memory.string(v, s)))
        return false;
      snprintf(buffer, sizeof(buffer), (spec + "s").c_str(),
               v ? s.c_str() : "(null)");
    } else {
      snprintf(buffer, sizeof(buffer), "%s%c", spec.c_str(), c);
    }
    out += buffer;
    return true;
  }

  LaneMemory &memory;
  uint64_t next, count = 0;
};

struct Call {
  Warp *W;
  std::byte *R;
  const Inst *I;
  const CallDesc &D;
  uint32_t lane;

  uint64_t argument(size_t i) const {
    uint64_t v = 0;
    if (i >= D.args.size())
      return 0;
    const CallValue &a = D.args[i];
    if (a.inRegister)
      memcpy(&v, R + a.caller + lane * (a.bytes == 8 ? 8 : 4),
             a.bytes == 8 ? 8 : 4);
    else
      memcpy(&v,
             W->local + lane * W->localStride + W->frame->localBase + a.caller,
             std::min(a.bytes, 8u));
    return v;
  }
  void result(uint64_t v) const {
    if (D.returns.empty())
      return;
    const CallValue &r = D.returns[0];
    if (r.inRegister)
      memcpy(R + r.caller + lane * (r.bytes == 8 ? 8 : 4), &v,
             r.bytes == 8 ? 8 : 4);
    else {
      uint64_t at = W->frame->localBase + r.caller;
      memcpy(W->local + lane * W->localStride + at, &v, std::min(r.bytes, 8u));
      checkLocal(W, 1u << lane, at, r.bytes, true);
    }
  }
};

/// Gives the number of arguments, as CUDA's does: -1 for no format.
bool print(const Call &call) {
  Launch &L = *call.W->launch;
  if (!call.argument(0)) {
    call.result(~0ull);
    return true;
  }
  LaneMemory memory(call.W, call.I, call.lane);
  Formatter formatter(memory, call.argument(1));
  std::string text, out;
  if (!memory.string(call.argument(0), text) || !formatter.format(text, out))
    return false;
  L.printedBytes += out.size();
  L.printed.push_back(std::move(out));
  // The buffer is circular: what is oldest is overwritten.
  while (L.printedBytes > L.request->options.printfBytes) {
    L.printedBytes -= L.printed.front().size();
    L.printed.pop_front();
  }
  call.result(formatter.taken());
  return true;
}

bool assertFailed(const Call &call) {
  LaneMemory memory(call.W, call.I, call.lane);
  std::string message, file, function;
  if (!memory.string(call.argument(0), message) ||
      !memory.string(call.argument(1), file) ||
      !memory.string(call.argument(3), function))
    return false;
  fault(call.W, LaunchStatus::Trap, DiagnosticKind::Trap, call.I, call.lane, 0,
        file + ":" + std::to_string(uint32_t(call.argument(2))) + ": " +
            function + ": assertion '" + message + "' failed");
  return false;
}

bool allocateHeap(const Call &call) {
  call.result(call.W->launch->heap->allocate(call.argument(0)));
  return true;
}
bool freeHeap(const Call &call) {
  Launch &L = *call.W->launch;
  uint64_t address = call.argument(0);
  if (!address)
    return true;
  if (!L.heap->release(address)) {
    fault(call.W, LaunchStatus::IllegalAddress, DiagnosticKind::OutOfBounds,
          call.I, call.lane, address,
          "free of an address that malloc did not give");
    return false;
  }
  // The allocation may be cached by any access.
  for (MemDesc &d : L.mem)
    d.lo = 1, d.limit = -1;
  return true;
}

void callBuiltin(HWTUNE_HANDLER_ARGS) {
  const CallDesc &D = W->launch->program->calls[I->a];
  for (uint32_t left = mask; left; left &= left - 1) {
    Call call{W, R, I, D, uint32_t(__builtin_ctz(left))};
    bool ok = false;
    switch (Builtin(D.builtin - 1)) {
    case Builtin::Vprintf:
      ok = print(call);
      break;
    case Builtin::Assertfail:
      ok = assertFailed(call);
      break;
    case Builtin::Malloc:
      ok = allocateHeap(call);
      break;
    case Builtin::Free:
      ok = freeHeap(call);
      break;
    }
    if (!ok)
      return;
  }
  HWTUNE_GO(I + 1);
}
void builtinResults(HWTUNE_HANDLER_ARGS) { HWTUNE_GO(I + 1); }

} // namespace

void addBuiltinOps(Registry &r) {
  addEntry(r, "call.builtin", "", {&callBuiltin, &callBuiltin, ""});
  addEntry(r, "call.results", "", {&builtinResults, &builtinResults, ""});
}

} // namespace hwtune::exec
