//===- Attributes.cpp - configurations, results, candidates ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "hwtune/IR/Dialect.h"
#include "hwtune/Support/Text.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;
using namespace hwtune;

//===----------------------------------------------------------------------===//
// Numbers: a dictionary without the types
//===----------------------------------------------------------------------===//

/// Shortest decimal that reads back as the same double; always with a point or
/// an exponent, so that it reads back as a float.
static void printDouble(llvm::raw_ostream &os, double value) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text = fmt::format("{:.{}g}", value, digits);
    if (parseDouble(text) == value)
      break;
  }
  StringRef ref(text);
  if (ref.contains('.')) {
    os << ref;
    return;
  }
  // MLIR's lexer wants a point before the exponent: 1e+06 -> 1.0e+06.
  size_t exponent = ref.find('e');
  os << ref.take_front(exponent) << ".0";
  if (exponent != StringRef::npos)
    os << ref.drop_front(exponent);
}

void hwtune::printNumbers(AsmPrinter &printer, DictionaryAttr numbers) {
  printer << '{';
  llvm::interleaveComma(numbers, printer, [&](NamedAttribute entry) {
    printer.printKeywordOrString(entry.getName());
    printer << " = ";
    if (auto i = dyn_cast<IntegerAttr>(entry.getValue()))
      printer << i.getValue().getSExtValue();
    else if (auto f = dyn_cast<FloatAttr>(entry.getValue()))
      printDouble(printer.getStream(), f.getValueAsDouble());
    else if (auto nested = dyn_cast<DictionaryAttr>(entry.getValue()))
      printNumbers(printer, nested);
    else
      printer << entry.getValue();
  });
  printer << '}';
}

/// Whether each number of `value`, those of inner dictionaries included, has a
/// decimal form: no infinity, which a literal beyond f64 becomes.
static bool isFinite(Attribute value) {
  if (auto nested = dyn_cast<DictionaryAttr>(value))
    return llvm::all_of(nested, [](NamedAttribute entry) {
      return isFinite(entry.getValue());
    });
  auto real = dyn_cast<FloatAttr>(value);
  return !real || real.getValue().isFinite();
}

ParseResult hwtune::parseNumbers(AsmParser &parser, DictionaryAttr &numbers) {
  SmallVector<NamedAttribute> entries;
  llvm::SmallDenseSet<StringAttr> seen;
  auto parseEntry = [&]() -> ParseResult {
    std::string name;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseAttribute(value))
      return failure();
    auto key = parser.getBuilder().getStringAttr(name);
    if (!seen.insert(key).second)
      return parser.emitError(loc) << "'" << name << "' is given twice";
    if (!isFinite(value))
      return parser.emitError(loc)
             << "'" << name << "' is " << value << ", expected a finite number";
    entries.emplace_back(key, value);
    return ParseResult::success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry))
    return failure();
  numbers = parser.getBuilder().getDictionaryAttr(entries);
  return ParseResult::success();
}

/// Every value an i64, or also an f64 where `floats`.
static LogicalResult verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr numbers, StringRef what,
                                   bool floats) {
  for (NamedAttribute entry : numbers) {
    Attribute value = entry.getValue();
    auto integer = dyn_cast<IntegerAttr>(value);
    auto real = dyn_cast<FloatAttr>(value);
    bool good = (integer && integer.getType().isSignlessInteger(64)) ||
                (floats && real && real.getType().isF64() && isFinite(real));
    if (!good)
      return emitError() << what << " '" << entry.getName().getValue()
                         << "' is " << value << ", expected "
                         << (floats ? "a number" : "an integer")
                         << (floats ? " (i64 or f64)" : " (i64)");
  }
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Generated definitions
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "hwtune/IR/Attributes.cpp.inc"

void HWTuneDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hwtune/IR/Attributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text of #hwtune.target
//===----------------------------------------------------------------------===//

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  std::string id;
  DictionaryAttr fields = parser.getBuilder().getDictionaryAttr({});
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&id))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      failed(parseNumbers(parser, fields)))
    return {};
  if (parser.parseGreater())
    return {};
  return TargetAttr::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), id, fields);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getId());
  if (!getFields().empty()) {
    printer << ", ";
    printNumbers(printer, getFields());
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef schedule, DictionaryAttr knobs) {
  if (schedule.empty())
    return emitError() << "schedule is empty, expected the name of a schedule "
                          "such as \"matmul\"";
  return verifyNumbers(emitError, knobs, "knob", /*floats=*/false);
}

LogicalResult ResultAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 TimeLabel, StringRef device,
                                 DictionaryAttr numbers) {
  if (device.empty())
    return emitError() << "device is empty, expected `cuda:N`, `sim:<id>`, "
                          "`replay:<file>` or `model`";
  if (failed(verifyNumbers(emitError, numbers, "number", /*floats=*/true)))
    return failure();
  if (!numbers.get("time_us"))
    return emitError() << "'time_us' is missing, expected microseconds";
  for (NamedAttribute entry : numbers) {
    auto real = dyn_cast<FloatAttr>(entry.getValue());
    double value = real ? real.getValueAsDouble()
                        : double(cast<IntegerAttr>(entry.getValue()).getInt());
    if (!(value >= 0))
      return emitError() << "number '" << entry.getName().getValue() << "' is "
                         << value << ", expected 0 or more";
  }
  return llvm::success();
}

std::optional<double> ResultAttr::get(StringRef name) const {
  Attribute value = getNumbers().get(name);
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return double(integer.getInt());
  return std::nullopt;
}

LogicalResult
CandidateAttr::verify(function_ref<InFlightDiagnostic()> emitError, ConfigAttr,
                      DictionaryAttr terms) {
  return verifyNumbers(emitError, terms, "term", /*floats=*/true);
}
