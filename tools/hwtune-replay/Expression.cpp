//===- Expression.cpp - arithmetic over named numbers ---------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "Texts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace hwtune::replay {

namespace {

constexpr size_t kMaxLength = 4096;
constexpr int kMaxDepth = 64;

bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.';
}

} // namespace

namespace {

// One access of one warp: lanes, banks, sectors and lines of CUDA devices.
constexpr int kLanes = 32, kBanks = 32, kSectorWords = 8, kLineWords = 32;
constexpr double kMaxWord = 1e9, kMaxWords = 32;

/// Lane i is at column i % across of row i / across and accesses `words` words
/// from word row * pitch + column * step.
struct Pattern {
  double across, step, pitch, words;

  bool bad() const {
    for (double v : {across, step, pitch, words})
      if (!(v >= 0 && v <= kMaxWord))
        return true;
    return across < 1 || words < 1 || words > kMaxWords;
  }
  int64_t word(int lane) const {
    int64_t columns = int64_t(across);
    return lane / columns * int64_t(pitch) + lane % columns * int64_t(step);
  }
};

/// Wavefronts of a shared-memory access: 32-bit words by whole warps, 64-bit by
/// halves, 128-bit by quarters; in each, the most distinct words of a bank.
double wavefronts(const Pattern &p) {
  if (p.bad())
    return NAN;
  int words = int(p.words);
  int vector = std::min(words, 4), phase = kLanes / vector;
  double total = 0;
  for (int first = 0; first < kLanes; first += phase)
    for (int part = 0; part < words; part += vector) {
      std::vector<int64_t> banks[kBanks];
      size_t most = 0;
      for (int lane = first; lane < first + phase; ++lane)
        for (int w = 0; w < vector; ++w) {
          int64_t word = p.word(lane) + part + w;
          std::vector<int64_t> &bank = banks[word % kBanks];
          if (std::find(bank.begin(), bank.end(), word) == bank.end())
            bank.push_back(word);
          most = std::max(most, bank.size());
        }
      total += double(most);
    }
  return total;
}

/// Wavefronts of a global access in L1: distinct lines of each phase, summed.
double lineWavefronts(const Pattern &p) {
  if (p.bad())
    return NAN;
  int words = int(p.words);
  int vector = std::min(words, 4), phase = kLanes / vector;
  double total = 0;
  for (int first = 0; first < kLanes; first += phase)
    for (int part = 0; part < words; part += vector) {
      std::vector<int64_t> found;
      for (int lane = first; lane < first + phase; ++lane)
        found.push_back((p.word(lane) + part) / kLineWords);
      std::sort(found.begin(), found.end());
      total += double(std::unique(found.begin(), found.end()) - found.begin());
    }
  return total;
}

/// Distinct pieces of `size` words that an access touches.
double pieces(const Pattern &p, int size) {
  if (p.bad())
    return NAN;
  std::vector<int64_t> found;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int64_t word = p.word(lane) / size,
                 last = (p.word(lane) + int64_t(p.words) - 1) / size;
         word <= last; ++word)
      found.push_back(word);
  std::sort(found.begin(), found.end());
  return double(std::unique(found.begin(), found.end()) - found.begin());
}

} // namespace

/// Recursive descent; every level of precedence is one function.
class Parser {
public:
  using Op = Expression::Op;
  Parser(std::string_view text, const NameLookup &names,
         const TextLookup &texts, Expression &out)
      : text(text), names(names), texts(texts), out(out) {}

  Expected<Expression> run() {
    if (text.size() > kMaxLength)
      return Error{fmt::format("expression has {} characters, at most {} are "
                               "allowed",
                               text.size(), kMaxLength),
                   ""};
    select();
    skip();
    if (problem.empty() && at < text.size())
      fail(fmt::format("unexpected `{}`, expected an operator or the end",
                       text[at]));
    if (!problem.empty())
      return Error{
          fmt::format("in `{}` at column {}: {}", text, problemAt + 1, problem),
          ""};
    return std::move(out);
  }

private:
  void fail(std::string message) {
    if (!problem.empty())
      return;
    problem = std::move(message);
    problemAt = at;
    at = text.size();
  }
  void skip() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }
  bool eat(std::string_view token) {
    skip();
    if (text.substr(at, token.size()) != token)
      return false;
    // `<` is not the start of `<=`, `!` not that of `!=`.
    if (token.size() == 1 && (token == "<" || token == ">" || token == "!") &&
        at + 1 < text.size() && text[at + 1] == '=')
      return false;
    at += token.size();
    return true;
  }
  uint32_t push(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                uint32_t d = 0) {
    out.nodes.push_back({op, 0, a, b, c, d});
    return uint32_t(out.nodes.size() - 1);
  }
  uint32_t number(double value) {
    out.nodes.push_back({Op::Number, value, 0, 0, 0, 0});
    return uint32_t(out.nodes.size() - 1);
  }

  uint32_t select() {
    if (++depth > kMaxDepth) {
      fail(fmt::format("nested deeper than {}", kMaxDepth));
      return 0;
    }
    uint32_t condition = binary(0);
    if (eat("?")) {
      uint32_t yes = select();
      if (!eat(":"))
        fail("expected `:` of `?:`");
      condition = push(Op::Select, condition, yes, select());
    }
    --depth;
    return condition;
  }

  struct Level {
    std::string_view token;
    Op op;
    int level;
  };
  static constexpr Level kLevels[] = {
      {"||", Op::Or, 0},        {"&&", Op::And, 1},
      {"==", Op::Equal, 2},     {"!=", Op::NotEqual, 2},
      {"<=", Op::LessEqual, 3}, {">=", Op::GreaterEqual, 3},
      {"<", Op::Less, 3},       {">", Op::Greater, 3},
      {"+", Op::Add, 4},        {"-", Op::Sub, 4},
      {"*", Op::Mul, 5},        {"/", Op::Div, 5},
      {"%", Op::Mod, 5}};
  static constexpr int kTightest = 5;

  uint32_t binary(int level) {
    if (level > kTightest)
      return unary();
    uint32_t left = binary(level + 1);
    for (bool more = true; more && problem.empty();) {
      more = false;
      for (const Level &l : kLevels)
        if (l.level == level && eat(l.token)) {
          left = push(l.op, left, binary(level + 1));
          more = true;
          break;
        }
    }
    return left;
  }

  uint32_t unary() {
    if (++depth > kMaxDepth) {
      fail(fmt::format("nested deeper than {}", kMaxDepth));
      return 0;
    }
    uint32_t result = eat("-")   ? push(Op::Neg, unary())
                      : eat("!") ? push(Op::Not, unary())
                                 : primary();
    --depth;
    return result;
  }

  uint32_t primary() {
    skip();
    if (at >= text.size()) {
      fail("ends where a value is expected");
      return 0;
    }
    if (eat("(")) {
      uint32_t inner = select();
      if (!eat(")"))
        fail("expected `)`");
      return inner;
    }
    if (text[at] == '\'')
      return quoted();
    if (text[at] >= '0' && text[at] <= '9') {
      double value = 0;
      auto [end, ec] =
          std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (ec != std::errc() || value >= Texts::kFirst) {
        fail("number out of range, expected less than 1.07e301");
        return 0;
      }
      at = size_t(end - text.data());
      return number(value);
    }
    size_t start = at;
    if (text[at] == '`')
      return quotedName(start);
    while (at < text.size() && isNameChar(text[at]))
      ++at;
    std::string_view name = text.substr(start, at - start);
    if (name.empty()) {
      fail(fmt::format("unexpected `{}`, expected a value", text[at]));
      return 0;
    }
    return eat("(") ? call(name, start) : variable(name, start);
  }

  /// '' stands for an apostrophe in the text.
  uint32_t quoted() {
    std::string inner;
    for (size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] != '\'') {
        inner += text[i];
      } else if (i + 1 < text.size() && text[i + 1] == '\'') {
        inner += text[i++];
      } else {
        at = i + 1;
        return number(texts(inner));
      }
    }
    fail("text without closing '");
    return 0;
  }

  /// A name with other characters than an identifier's.
  uint32_t quotedName(size_t start) {
    size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos) {
      fail("name without closing `");
      return 0;
    }
    std::string_view name = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return variable(name, start);
  }

  uint32_t variable(std::string_view name, size_t start) {
    std::optional<size_t> index = names(name);
    if (!index) {
      at = start;
      fail(fmt::format("unknown name `{}`, expected a parameter of the data "
                       "set, a constant, or an earlier `let`",
                       name));
      return 0;
    }
    return push(Op::Variable, uint32_t(*index));
  }

  uint32_t call(std::string_view name, size_t start) {
    struct Function {
      std::string_view name;
      Op op;
      size_t arguments; ///< 0 = two or more
    };
    static constexpr Function kFunctions[] = {
        {"min", Op::Min, 0},
        {"max", Op::Max, 0},
        {"ceil", Op::Ceil, 1},
        {"floor", Op::Floor, 1},
        {"round", Op::Round, 1},
        {"log2", Op::Log2, 1},
        {"sqrt", Op::Sqrt, 1},
        {"abs", Op::Abs, 1},
        {"pow", Op::Pow, 2},
        {"ceildiv", Op::CeilDiv, 2},
        {"roundup", Op::RoundUp, 2},
        {"wavefronts", Op::Wavefronts, 4},
        {"sectors", Op::Sectors, 4},
        {"lines", Op::Lines, 4},
        {"line_wavefronts", Op::LineWavefronts, 4}};
    std::vector<uint32_t> arguments;
    do
      arguments.push_back(select());
    while (eat(","));
    if (!eat(")"))
      fail("expected `,` or `)`");
    for (const Function &f : kFunctions) {
      if (f.name != name)
        continue;
      bool fits =
          f.arguments ? arguments.size() == f.arguments : arguments.size() >= 2;
      if (!fits)
        fail(fmt::format(
            "`{}` has {} arguments, expected {}", name, arguments.size(),
            f.arguments ? std::to_string(f.arguments) : "two or more"));
      if (f.arguments == 4 && fits)
        return push(f.op, arguments[0], arguments[1], arguments[2],
                    arguments[3]);
      uint32_t result = arguments[0];
      for (size_t i = 1; i < arguments.size(); ++i)
        result = push(f.op, result, arguments[i]);
      return arguments.size() == 1 ? push(f.op, result) : result;
    }
    at = start;
    fail(fmt::format("unknown function `{}`, expected min, max, ceil, floor, "
                     "round, log2, sqrt, abs, pow, ceildiv, roundup, "
                     "wavefronts, sectors, lines or line_wavefronts",
                     name));
    return 0;
  }

  std::string_view text;
  const NameLookup &names;
  const TextLookup &texts;
  Expression &out;
  size_t at = 0, problemAt = 0;
  int depth = 0;
  std::string problem;
};

Expected<Expression> Expression::parse(std::string_view text,
                                       const NameLookup &names,
                                       const TextLookup &texts) {
  Expression result;
  result.source = text;
  return Parser(text, names, texts, result).run();
}

double Expression::evaluate(const std::vector<double> &variables) const {
  return at(uint32_t(nodes.size() - 1), variables);
}

double Expression::at(uint32_t index, const std::vector<double> &v) const {
  const Node &n = nodes[index];
  auto value = [&](uint32_t node) { return at(node, v); };
  // A text can be compared and chosen, not reckoned with.
  auto number = [&](uint32_t node) {
    double x = at(node, v);
    return Texts::isText(x) ? NAN : x;
  };
  auto a = [&] { return number(n.a); };
  auto b = [&] { return number(n.b); };
  // What rests on no number is none: only so does the caller hear of it.
  auto truth = [](double of, bool value) {
    return std::isnan(of) ? of : double(value);
  };
  auto isTrue = [&](double x) { return truth(x, x != 0); };
  auto compare = [&](auto holds) {
    double x = a(), y = b();
    return truth(std::isnan(x) ? x : y, holds(x, y));
  };
  switch (n.op) {
  case Op::Number:
    return n.number;
  case Op::Variable:
    return v[n.a];
  case Op::Add:
    return a() + b();
  case Op::Sub:
    return a() - b();
  case Op::Mul:
    return a() * b();
  case Op::Div:
    return a() / b();
  case Op::Mod:
    return std::fmod(a(), b());
  case Op::Neg:
    return -a();
  case Op::Not: {
    double x = a();
    return truth(x, x == 0);
  }
  case Op::Less:
    return compare(std::less<>());
  case Op::LessEqual:
    return compare(std::less_equal<>());
  case Op::Greater:
    return compare(std::greater<>());
  case Op::GreaterEqual:
    return compare(std::greater_equal<>());
  case Op::Equal:
    return value(n.a) == value(n.b);
  case Op::NotEqual:
    return value(n.a) != value(n.b);
  case Op::And: {
    double x = a();
    return isTrue(x == 0 || std::isnan(x) ? x : b());
  }
  case Op::Or: {
    double x = a();
    return isTrue(x == 0 ? b() : x);
  }
  case Op::Select: {
    double x = a();
    return std::isnan(x) ? x : x != 0 ? value(n.b) : value(n.c);
  }
  case Op::Min: {
    double x = a(), y = b();
    return std::isnan(x) || x < y ? x : y;
  }
  case Op::Max: {
    double x = a(), y = b();
    return std::isnan(x) || x > y ? x : y;
  }
  case Op::Ceil:
    return std::ceil(a());
  case Op::Floor:
    return std::floor(a());
  case Op::Round:
    return std::round(a());
  case Op::Log2:
    return std::log2(a());
  case Op::Sqrt:
    return std::sqrt(a());
  case Op::Abs:
    return std::abs(a());
  case Op::Pow:
    return std::pow(a(), b());
  case Op::CeilDiv:
    return std::ceil(a() / b());
  case Op::Wavefronts:
    return wavefronts({a(), b(), number(n.c), number(n.d)});
  case Op::LineWavefronts:
    return lineWavefronts({a(), b(), number(n.c), number(n.d)});
  case Op::Sectors:
    return pieces({a(), b(), number(n.c), number(n.d)}, kSectorWords);
  case Op::Lines:
    return pieces({a(), b(), number(n.c), number(n.d)}, kLineWords);
  case Op::RoundUp: {
    double unit = b();
    return std::ceil(a() / unit) * unit;
  }
  }
  return 0;
}

} // namespace hwtune::replay
