//===- Scopes.h - nested name scopes of a PTX function ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are looked up once per operand, so a lookup is two array reads: what
// a name means now stands at its `StringId`, and closing a scope restores what
// the scope had hidden.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_PTX_SCOPES_H
#define HWTUNE_LIB_SIMULATOR_PTX_SCOPES_H

#include "hwtune/Simulator/Ptx/Ast.h"

namespace hwtune::ptx {

enum class BindKind : uint8_t {
  None,
  Register,
  Symbol,
  Special,
  Label,
  BranchTargets,
  CallTargets,
  Prototype,
};

struct Binding {
  BindKind kind = BindKind::None;
  SymbolKind symbolKind = SymbolKind::None;
  uint8_t vector = 1; ///< of a register: elements, with ids from `index` on
  uint16_t depth = 0;
  uint32_t index = kNone;
  uint8_t number = 0; ///< of %envreg<n>
};

/// `.reg .b32 %r<100>`: %r0 to %r99.
struct RegisterRange {
  StringId prefix = kNone;
  uint64_t count = 0;
  Type type = Type::None;
  uint8_t vector = 1;
  uint16_t depth = 0;
  uint32_t outer = kNone; ///< the range of the same prefix that this one hides
};

class Scopes {
public:
  explicit Scopes(StringTable &strings) : strings(strings) {}

  void open() { ++level; }
  void close();
  uint16_t depth() const { return level; }

  /// Gives `name` a meaning in the innermost scope, or in that of `depth`.
  /// False where the same scope has one already.
  bool declare(StringId name, Binding binding);
  bool declareRange(RegisterRange range);
  void bindAt(StringId name, Binding binding, uint16_t depth);

  /// What `name` means: a binding, or a range that it is a part of and has no
  /// register from yet, or neither.
  struct Found {
    const Binding *binding = nullptr;
    const RegisterRange *range = nullptr;
  };
  Found find(StringId name);

private:
  struct Name {
    Binding binding;
    StringId prefix = kNone; ///< of "%r17": "%r"
    uint64_t number = 0;     ///< of "%r17": 17
    bool split = false;      ///< prefix and number are known
    uint32_t range = kNone;  ///< innermost range with this name as prefix
  };
  struct Hidden {
    StringId name;
    Binding binding;
  };
  Name &at(StringId name);
  void splitName(StringId id);
  const RegisterRange *rangeOf(StringId name);

  StringTable &strings;
  std::vector<Name> names;
  std::vector<RegisterRange> ranges;
  std::vector<std::vector<Hidden>> hidden; ///< by depth
  uint16_t level = 0;
};

} // namespace hwtune::ptx

#endif // HWTUNE_LIB_SIMULATOR_PTX_SCOPES_H
