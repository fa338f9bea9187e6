//===- ScriptSchedule.cpp - a named sequence as a schedule ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Knobs are found once, when the file is read. A configuration is then written
// into a copy of the sequence: `selected` of its knobs and alternatives, and
// the attributes that `hwtune.knobs` ties to a knob, since upstream ops take
// few numbers as parameters.
//
//===----------------------------------------------------------------------===//

#include "ScriptSchedule.h"
#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/Dialect.h"
#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Support/Sha256.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include <fmt/format.h>

#include <limits>

using namespace mlir;
using transform::tune::AlternativesOp;
using transform::tune::KnobOp;

namespace hwtune {

static Error errorAt(Location loc, std::string message) {
  return Error{std::move(message), locationText(loc)};
}

//===----------------------------------------------------------------------===//
// Attributes tied to knobs
//===----------------------------------------------------------------------===//

static DictionaryAttr tiesOf(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(HWTuneDialect::kKnobsAttrName);
}

static std::optional<int64_t> integerOf(Attribute attr) {
  auto number = dyn_cast_or_null<IntegerAttr>(attr);
  if (!number || isa<BoolAttr>(attr) || number.getType().isUnsignedInteger() ||
      number.getValue().getBitWidth() > 64)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

using Lookup = llvm::function_ref<Attribute(StringRef knob)>;

static bool sameKind(Attribute a, Attribute b) {
  auto typed = dyn_cast<TypedAttr>(a), other = dyn_cast<TypedAttr>(b);
  return a.getTypeID() == b.getTypeID() && bool(typed) == bool(other) &&
         (!typed || typed.getType() == other.getType());
}

/// What `tie` (the name of a knob, a number, or an array of these) makes of an
/// attribute that is `now`; null where it is not of the same kind and length.
static Attribute tied(Attribute now, Attribute tie, Lookup lookup) {
  auto name = dyn_cast<StringAttr>(tie);
  Attribute value = name ? lookup(name) : tie;
  auto number = dyn_cast_or_null<IntegerAttr>(now);
  if (std::optional<int64_t> integer = integerOf(value); integer && number)
    return IntegerAttr::get(number.getType(), *integer);
  if (name)
    return value && now && sameKind(value, now) ? value : Attribute();
  auto list = dyn_cast<ArrayAttr>(tie);
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(now); list && numbers) {
    if (int64_t(list.size()) != numbers.size())
      return {};
    SmallVector<int64_t> values;
    for (Attribute element : list) {
      auto of = dyn_cast<StringAttr>(element);
      std::optional<int64_t> integer = integerOf(of ? lookup(of) : element);
      if (!integer)
        return {};
      values.push_back(*integer);
    }
    return DenseI64ArrayAttr::get(now.getContext(), values);
  }
  auto elements = dyn_cast<ArrayAttr>(now);
  if (!list || !elements || list.size() != elements.size())
    return {};
  SmallVector<Attribute> values;
  for (auto [element, of] : llvm::zip_equal(elements, list)) {
    values.push_back(tied(element, of, lookup));
    if (!values.back())
      return {};
  }
  return ArrayAttr::get(now.getContext(), values);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// `root` and all symbols of its file that it refers to.
static llvm::SetVector<Operation *> reachable(Operation *root) {
  llvm::SetVector<Operation *> found;
  found.insert(root);
  Operation *table = root->getParentOp();
  for (size_t i = 0; i < found.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(found[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol = SymbolTable::lookupSymbolIn(
                table, use.getSymbolRef().getRootReference()))
          found.insert(symbol);
  return found;
}

static Status checkSignature(transform::NamedSequenceOp sequence) {
  FunctionType type = sequence.getFunctionType();
  if (!sequence.isExternal() && type.getNumResults() == 0 &&
      type.getNumInputs() == 1 &&
      isa<transform::TransformHandleTypeInterface>(type.getInput(0)))
    return success();
  return errorAt(sequence.getLoc(),
                 fmt::format("schedule '{}' must have a body, take one handle "
                             "on the operation and return nothing",
                             sequence.getName().str()));
}

Expected<std::unique_ptr<ScriptSchedule>>
ScriptSchedule::create(Library library, transform::NamedSequenceOp sequence,
                       Attribute matches) {
  std::unique_ptr<ScriptSchedule> made(new ScriptSchedule);
  made->library = std::move(library);
  made->sequence = sequence;
  made->matches = matches;
  made->ownName = sequence.getName().str();
  if (Status good = checkSignature(sequence); !good)
    return good.error();
  made->handleType = sequence.getFunctionType().getInput(0);
  made->symbols = reachable(sequence);
  if (Status good = made->collectKnobs(); !good)
    return good.error();
  if (Status good = made->checkReferences(); !good)
    return good.error();
  if (Status good = made->space({}, {}).check(); !good)
    return errorAt(
        sequence.getLoc(),
        fmt::format("schedule '{}': {}", made->ownName, good.error().message));
  made->hash = sha256Hex(made->textOf(made->symbols, nullptr));
  return made;
}

std::optional<unsigned> ScriptSchedule::indexOf(StringRef name) const {
  for (unsigned i = 0; i < knobs.size(); ++i)
    if (knobs[i].knob.name == name)
      return i;
  return std::nullopt;
}

/// The values of `options`: themselves where they are integers, else positions.
static ScriptKnob knobOf(KnobOp op, ArrayAttr options) {
  ScriptKnob result;
  result.options.assign(options.begin(), options.end());
  result.knob.name = op.getName().str();
  result.knob.categorical =
      !llvm::all_of(options, [](Attribute a) { return bool(integerOf(a)); });
  for (auto [i, option] : llvm::enumerate(options))
    result.knob.values.push_back(result.knob.categorical ? int64_t(i)
                                                         : *integerOf(option));
  llvm::raw_string_ostream(result.knob.description)
      << (result.knob.categorical ? "position in " : "one of ") << options;
  return result;
}

static ScriptKnob knobOf(AlternativesOp op) {
  ScriptKnob result;
  result.knob.name = op.getName().str();
  result.knob.categorical = true;
  result.knob.description = "number of the region that is applied";
  Builder b(op.getContext());
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    result.knob.values.push_back(i);
    result.options.push_back(b.getIndexAttr(i));
  }
  return result;
}

/// One choice for all places of one name, which must offer the same.
Status ScriptSchedule::addKnob(Operation *op, StringRef name, ScriptKnob knob) {
  std::vector<ScriptKnob::Inside> place;
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto around = dyn_cast<AlternativesOp>(region->getParentOp()))
      if (std::optional<unsigned> index = indexOf(around.getName()))
        place.push_back({*index, int64_t(region->getRegionNumber())});
  std::optional<unsigned> known = indexOf(name);
  if (known && knobs[*known].options != knob.options)
    return errorAt(op->getLoc(),
                   fmt::format("knob '{}' is there twice, with other options",
                               name.str()));
  if (!known) {
    known = knobs.size();
    knobs.push_back(std::move(knob));
  }
  knobs[*known].places.push_back(std::move(place));
  return success();
}

/// A choice that a parameter makes: where that is a knob, it must be able to.
static Status checkParameter(AlternativesOp op) {
  auto knob = op.getSelectedRegionParam().getDefiningOp<KnobOp>();
  auto options = knob ? dyn_cast<ArrayAttr>(knob.getOptions()) : ArrayAttr();
  if (!options)
    return success();
  for (Attribute option : options) {
    std::optional<int64_t> region = integerOf(option);
    if (!region || *region < 0 || *region >= int64_t(op->getNumRegions()))
      return errorAt(op.getLoc(),
                     fmt::format("alternatives '{}' have regions 0 to {}, knob "
                                 "'{}' has other options",
                                 op.getName().str(),
                                 int64_t(op->getNumRegions()) - 1,
                                 knob.getName().str()));
  }
  return success();
}

Status ScriptSchedule::collectKnobs() {
  std::optional<Error> failed;
  auto visit = [&](Operation *op) -> Status {
    if (auto knob = dyn_cast<KnobOp>(op); knob && !knob.getSelectedAttr()) {
      auto options = dyn_cast<ArrayAttr>(knob.getOptions());
      if (!options || options.empty())
        return errorAt(op->getLoc(),
                       fmt::format("knob '{}' has no list of options, expected "
                                   "`options = [...]` with at least one",
                                   knob.getName().str()));
      return addKnob(op, knob.getName(), knobOf(knob, options));
    }
    auto choice = dyn_cast<AlternativesOp>(op);
    if (!choice || choice.getSelectedRegionAttrAttr())
      return success();
    if (choice->getNumRegions() == 0)
      return errorAt(op->getLoc(),
                     fmt::format("alternatives '{}' have no region to choose",
                                 choice.getName().str()));
    if (choice.getSelectedRegionParam())
      return checkParameter(choice);
    return addKnob(op, choice.getName(), knobOf(choice));
  };
  for (Operation *symbol : symbols)
    symbol->walk<WalkOrder::PreOrder>([&](Operation *op) {
      Status good = visit(op);
      if (!good)
        failed = good.error();
      return good ? WalkResult::advance() : WalkResult::interrupt();
    });
  return failed ? Status(*failed) : success();
}

Status ScriptSchedule::checkReferences() const {
  std::optional<Error> failed;
  size_t most = 1;
  for (const ScriptKnob &knob : knobs)
    most = std::max(most, knob.options.size());
  // Every option has to fit, not the first alone.
  auto fits = [&](Attribute now, Attribute tie) {
    for (size_t i = 0; i < most; ++i) {
      auto option = [&](StringRef knob) -> Attribute {
        std::optional<unsigned> index = indexOf(knob);
        if (!index)
          return {};
        const auto &options = knobs[*index].options;
        return options[std::min(i, options.size() - 1)];
      };
      if (!now || !tied(now, tie, option))
        return false;
    }
    return true;
  };
  auto check = [&](Operation *op) {
    for (NamedAttribute tie : tiesOf(op)) {
      if (fits(op->getAttr(tie.getName()), tie.getValue()))
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << tie.getValue();
      failed = errorAt(
          op->getLoc(),
          fmt::format("'{}' ties attribute '{}' to {}, expected an attribute "
                      "that is there, and names of open knobs of its kind and "
                      "length",
                      HWTuneDialect::kKnobsAttrName.str(),
                      tie.getName().getValue().str(), text));
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  for (Operation *symbol : symbols)
    symbol->walk([&](Operation *op) {
      return tiesOf(op) ? check(op) : WalkResult::advance();
    });
  return failed ? Status(*failed) : success();
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// A knob inside regions that are not chosen decides nothing: only its first
/// value is legal there.
static Constraint usedOnlyIfThere(const ScriptKnob &knob, unsigned index) {
  Constraint c;
  c.kind = "unused-knob";
  c.what = fmt::format("position of '{}', which no chosen region uses",
                       knob.knob.name);
  c.knobs.push_back(index);
  for (const auto &place : knob.places)
    for (const ScriptKnob::Inside &inside : place)
      if (!llvm::is_contained(c.knobs, inside.knob))
        c.knobs.push_back(inside.knob);
  c.check = [places = knob.places, values = knob.knob.values,
             index](std::span<const int64_t> v) {
    bool used = llvm::any_of(places, [&](const auto &place) {
      return llvm::all_of(place, [&](const ScriptKnob::Inside &inside) {
        return v[inside.knob] == inside.region;
      });
    });
    auto position = llvm::find(values, v[index]) - values.begin();
    return std::pair(double(position),
                     used ? std::numeric_limits<double>::infinity() : 0.0);
  };
  return c;
}

Space ScriptSchedule::space(const Workload &, const TargetSpec &) const {
  Space s;
  for (const auto &[i, knob] : llvm::enumerate(knobs)) {
    s.knobs.push_back(knob.knob);
    if (llvm::all_of(knob.places, [](const auto &p) { return !p.empty(); }))
      s.constraints.push_back(usedOnlyIfThere(knob, i));
  }
  return s;
}

Config ScriptSchedule::generic(const Workload &, const TargetSpec &) const {
  Config c;
  for (const ScriptKnob &knob : knobs)
    c.push_back(knob.knob.values.front());
  return c;
}

KernelFeatures ScriptSchedule::features(const Workload &w, const TargetSpec &t,
                                        const Config &) const {
  const Schedule *generic = findSchedule("generic");
  KernelFeatures f = generic->features(w, t, generic->generic(w, t));
  f.registers = 0;
  return f;
}

//===----------------------------------------------------------------------===//
// The script of a configuration
//===----------------------------------------------------------------------===//

Attribute ScriptSchedule::chosen(StringRef name, const Config &c) const {
  std::optional<unsigned> index = indexOf(name);
  if (!index)
    return {};
  const ScriptKnob &knob = knobs[*index];
  auto at = llvm::find(knob.knob.values, c[*index]);
  return at == knob.knob.values.end()
             ? Attribute()
             : knob.options[at - knob.knob.values.begin()];
}

void ScriptSchedule::resolve(Operation *root, const Config &c) const {
  auto lookup = [&](StringRef name) { return chosen(name, c); };
  root->walk([&](Operation *op) {
    auto choice = dyn_cast<AlternativesOp>(op);
    if (auto knob = dyn_cast<KnobOp>(op); knob && !knob.getSelectedAttr())
      knob.setSelectedAttr(lookup(knob.getName()));
    else if (choice && !choice.getSelectedRegionAttrAttr() &&
             !choice.getSelectedRegionParam())
      choice.setSelectedRegionAttrAttr(
          cast<IntegerAttr>(lookup(choice.getName())));
    DictionaryAttr ties = tiesOf(op);
    if (!ties)
      return;
    for (NamedAttribute tie : ties)
      op->setAttr(tie.getName(),
                  tied(op->getAttr(tie.getName()), tie.getValue(), lookup));
    op->removeAttr(HWTuneDialect::kKnobsAttrName);
  });
}

/// `symbols` with the choices of `c`, or as they are.
std::string ScriptSchedule::textOf(const llvm::SetVector<Operation *> &symbols,
                                   const Config *c) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation *symbol : symbols) {
    OwningOpRef<Operation *> copy = symbol->clone();
    if (c)
      resolve(*copy, *c);
    // No aliases: the text stands in another module.
    (*copy)->print(stream, OpPrintingFlags().useLocalScope());
    stream << "\n";
  }
  return text;
}

/// "@name", quoted where it must be.
static std::string symbolText(Operation *symbol) {
  std::string text;
  llvm::raw_string_ostream(text) << FlatSymbolRefAttr::get(symbol);
  return text;
}

/// A module of `symbols` and a `@__transform_main` with this signature and
/// body.
static std::string libraryText(std::string_view symbols, std::string_view root,
                               std::string_view body) {
  return fmt::format("module attributes {{transform.with_named_sequence}} {{\n"
                     "{}transform.named_sequence @__transform_main({}) {{\n"
                     "{}  transform.yield\n}}\n}}\n",
                     symbols, root, body);
}

std::string ScriptSchedule::script(const Workload &, const TargetSpec &,
                                   const Config &c) const {
  std::string handle;
  llvm::raw_string_ostream(handle) << handleType;
  return libraryText(
      textOf(symbols, &c), "%module: !transform.any_op {transform.readonly}",
      fmt::format(
          "  %op = transform.structured.match attributes {{{}}} in %module : "
          "(!transform.any_op) -> {}\n"
          "  transform.include {} failures(propagate) (%op) : ({}) -> ()\n",
          kIsolatedOpMark, handle, symbolText(sequence), handle));
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Set by the matcher's action on what matches.
static constexpr llvm::StringLiteral kMatched = "hwtune.matched";

bool ScriptSchedule::takes(Operation *op) const {
  auto isName = [&](Attribute name) {
    return cast<StringAttr>(name).getValue() == op->getName().getStringRef();
  };
  if (isa<StringAttr>(matches))
    return isName(matches);
  if (auto names = dyn_cast<ArrayAttr>(matches))
    return llvm::any_of(names, isName);
  Operation *matcher =
      (*library)->lookupSymbol(cast<FlatSymbolRefAttr>(matches).getAttr());
  std::string text = textOf(reachable(matcher), nullptr);
  text += fmt::format(
      "transform.named_sequence @__hwtune_matched(%op: !transform.any_op "
      "{{transform.readonly}}) {{\n"
      "  transform.annotate %op \"{}\" : !transform.any_op\n"
      "  transform.yield\n}}\n",
      kMatched.str());
  OwningOpRef<ModuleOp> isolated = isolateOp(op);
  auto script = parseModule(
      *op->getContext(),
      libraryText(text, "%module: !transform.any_op {transform.consumed}",
                  fmt::format("  %same = transform.foreach_match in %module {} "
                              "-> @__hwtune_matched : (!transform.any_op) -> "
                              "!transform.any_op\n",
                              symbolText(matcher))),
      "matcher");
  if (!script)
    return false;
  DiagnosticCapture quiet(*op->getContext());
  transform::TransformOpInterface entry =
      transform::detail::findTransformEntryPoint(**script, **script);
  if (!entry || mlir::failed(transform::applyTransformNamedSequence(
                    *isolated, entry, **script, transform::TransformOptions())))
    return false;
  return isolated
      ->walk([](Operation *inner) {
        return inner->hasAttr(kMatched) && inner->hasAttr(kIsolatedOpMark)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace hwtune
