//===- ReplayTest.cpp - readers, expressions, mappings, replay ------ ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include "Options.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include <unistd.h>

using namespace hwtune;
using namespace hwtune::replay;

namespace {

/// A file that lives as long as the test.
struct TempFile {
  std::string path;
  TempFile(const std::string &name, const std::string &text)
      : path(testing::TempDir() + "hwtune-replay-" +
             std::to_string(::getpid()) + name) {
    std::ofstream(path) << text;
  }
  ~TempFile() { std::remove(path.c_str()); }
};

std::string readError(const std::string &name, const std::string &text,
                      const std::string &format = "") {
  TempFile file(name, text);
  Expected<Dataset> data = readDataset(file.path, format);
  EXPECT_FALSE(data);
  if (data)
    return "";
  std::string message = data.error().str();
  size_t at = message.find(file.path);
  EXPECT_EQ(at, 0u) << "does not start with the file: " << message;
  return at == 0 ? message.substr(file.path.size()) : message;
}

double evaluate(const std::string &text) {
  auto names = [](std::string_view n) {
    return n == "x" ? std::optional<size_t>(0) : std::nullopt;
  };
  auto texts = [](std::string_view t) { return t == "fp16" ? 7.0 : -1.0; };
  Expected<Expression> e = Expression::parse(text, names, texts);
  EXPECT_TRUE(e) << e.error().str();
  return e ? e->evaluate({3}) : NAN;
}

std::string parseError(const std::string &text) {
  auto names = [](std::string_view) { return std::optional<size_t>(); };
  auto texts = [](std::string_view) { return 0.0; };
  Expected<Expression> e = Expression::parse(text, names, texts);
  EXPECT_FALSE(e) << text;
  return e ? "" : e.error().str();
}

const char kCache[] = R"({"device_name": "NVIDIA GeForce RTX 2080 Ti",
 "kernel_name": "k", "tune_params_keys": ["a", "b"],
 "tune_params": {"a": [1, 2, 4], "b": [0, 1]},
 "cache": {
 "1,0": {"a": 1, "b": 0, "time": 4.0, "times": [4.0]},
 "2,0": {"a": 2, "b": 0, "time": 2.0, "times": [2.0]},
 "4,0": {"a": 4, "b": 0, "time": "CompilationFailedConfig"},
 "1,1": {"a": 1, "b": 1, "time": 3.0, "times": [3.0]},
 "2,1": {"a": 2, "b": 1, "time": 1.0, "times": [1.0]})";

} // namespace

TEST(Expression, Values) {
  EXPECT_DOUBLE_EQ(evaluate("1 + 2 * x"), 7);
  EXPECT_DOUBLE_EQ(evaluate("(1 + 2) * x - -1"), 10);
  EXPECT_DOUBLE_EQ(evaluate("7 % 4 + 8 / 2 / 2"), 5);
  EXPECT_DOUBLE_EQ(evaluate("x < 4 && x >= 3 || 0"), 1);
  EXPECT_DOUBLE_EQ(evaluate("!(x == 3) ? 1 : x != 3 ? 2 : 5"), 5);
  EXPECT_DOUBLE_EQ(evaluate("max(1, x, 2) + min(x, 2)"), 5);
  EXPECT_DOUBLE_EQ(evaluate("ceildiv(10, 4) + roundup(10, 4)"), 15);
  EXPECT_DOUBLE_EQ(evaluate("ceil(1.2) + floor(1.8) + round(1.5) + abs(0-2)"),
                   7);
  EXPECT_DOUBLE_EQ(evaluate("log2(8) + sqrt(16) + pow(2, 3)"), 15);
  EXPECT_DOUBLE_EQ(evaluate("'fp16' + 'other'"), 6);
  EXPECT_DOUBLE_EQ(evaluate("'it''s' + 'fp16'"), 6);
}

TEST(Expression, AccessesOfAWarp) {
  // 32 consecutive words: one wavefront, one line, four sectors.
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 1, 0, 1)"), 1);
  EXPECT_DOUBLE_EQ(evaluate("lines(32, 1, 0, 1)"), 1);
  EXPECT_DOUBLE_EQ(evaluate("sectors(32, 1, 0, 1)"), 4);
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 2, 0, 1)"), 2); // two-way conflict
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 32, 0, 1)"), 32);
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 33, 0, 1)"), 1); // padded
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 0, 0, 1)"), 1);  // broadcast
  // 16 bytes a lane go by quarter warps, each without conflict.
  EXPECT_DOUBLE_EQ(evaluate("wavefronts(32, 4, 0, 4)"), 4);
  EXPECT_DOUBLE_EQ(evaluate("line_wavefronts(32, 4, 0, 4)"), 4);
  EXPECT_DOUBLE_EQ(evaluate("sectors(32, 4, 0, 4)"), 16);
  // Two rows of 16 lanes, 100 words apart.
  EXPECT_DOUBLE_EQ(evaluate("sectors(16, 1, 100, 1)"), 5);
  EXPECT_TRUE(std::isnan(evaluate("sectors(0, 1, 1, 1)")));
  EXPECT_TRUE(std::isnan(evaluate("lines(1, 1, 1, 1e6)")));
}

TEST(Expression, Errors) {
  EXPECT_EQ(parseError("1 +"),
            "in `1 +` at column 4: ends where a value is expected");
  EXPECT_EQ(parseError("(1"), "in `(1` at column 3: expected `)`");
  EXPECT_EQ(parseError("1 2"), "in `1 2` at column 3: unexpected `2`, expected "
                               "an operator or the end");
  EXPECT_EQ(parseError("1 ? 2"),
            "in `1 ? 2` at column 6: expected `:` of `?:`");
  EXPECT_EQ(parseError("1 + @"),
            "in `1 + @` at column 5: unexpected `@`, expected a value");
  EXPECT_EQ(parseError("1 + foo"),
            "in `1 + foo` at column 5: unknown name `foo`, expected a "
            "parameter of the data set, a constant, or an earlier `let`");
  EXPECT_NE(parseError("frob(1)").find("unknown function `frob`, expected min"),
            std::string::npos);
  EXPECT_NE(parseError("pow(1)").find("`pow` has 1 arguments, expected 2"),
            std::string::npos);
  EXPECT_NE(parseError("2e301").find("number out of range, expected less"),
            std::string::npos);
  EXPECT_NE(parseError("`tile-x").find("name without closing `"),
            std::string::npos);
  EXPECT_NE(parseError("`tile-x`").find("unknown name `tile-x`"),
            std::string::npos);
  EXPECT_NE(parseError("'abc").find("text without closing '"),
            std::string::npos);
  EXPECT_NE(parseError(std::string(200, '(')).find("nested deeper than 64"),
            std::string::npos);
  EXPECT_NE(parseError(std::string(5000, '1')).find("at most 4096"),
            std::string::npos);
}

TEST(Readers, KernelTunerClosedAndOpen) {
  for (const char *end : {"}}", "}\n}", ",\n", ""}) {
    TempFile file("kt.json", std::string(kCache) + end);
    Expected<Dataset> data = readDataset(file.path);
    ASSERT_TRUE(data) << end << data.error().str();
    EXPECT_EQ(data->format, "kernel-tuner");
    EXPECT_EQ(data->device, "NVIDIA GeForce RTX 2080 Ti");
    ASSERT_EQ(data->rows.size(), 5u);
    EXPECT_DOUBLE_EQ(data->rows[0].seconds, 4e-3);
    EXPECT_FALSE(data->rows[2].ok);
    EXPECT_EQ(data->rows[2].failure, "CompilationFailedConfig");
    EXPECT_EQ(data->rows[4].values, (std::vector<double>{2, 1}));
  }
}

TEST(Readers, KernelTunerErrors) {
  EXPECT_EQ(readError("e.json", R"({"kernel_name": "k"})"),
            ": `tune_params_keys` is missing or not a list of names");
  EXPECT_EQ(readError("e.json", R"({"tune_params_keys": ["a"]})"),
            ": `cache` is missing or not an object");
  EXPECT_EQ(readError("e.json", R"({"tune_params_keys": ["a"],
              "cache": {"1": {"b": 1}}})"),
            ": entry `1`: parameter `a` is missing");
  EXPECT_EQ(readError("e.json", R"({"tune_params_keys": ["a"],
              "cache": {"1": {"a": 1}}})"),
            ": entry `1`: `time` is missing, expected milliseconds or the "
            "name of a failure");
  EXPECT_EQ(readError("e.json", R"({"tune_params_keys": ["a"], "cache": {}})"),
            ": holds no configuration");
  EXPECT_EQ(readError("e.json", "{\"tune_params_keys\": [\n\"a\" x"),
            ":2:5: not JSON: error while parsing array - invalid literal; last "
            "read: '\"a\" x'; expected ']'")
      << "line and column";
}

TEST(Readers, Ktt) {
  std::string text =
      R"({"Metadata": {"Device": "D", "TimeUnit": "Microseconds"},
    "Results": [
     {"Status": "Ok", "TotalDuration": 5.0, "KernelName": "k",
      "Configuration": [{"Name": "A", "Value": 2}, {"Name": "B", "Value": "x"}]},
     {"Status": "ComputationFailed",
      "Configuration": [{"Name": "A", "Value": 4}, {"Name": "B", "Value": "y"}]}
    ]})";
  TempFile file("ktt.json", text);
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_EQ(data->format, "ktt");
  EXPECT_DOUBLE_EQ(data->rows[0].seconds, 5e-6);
  EXPECT_EQ(data->rows[1].failure, "ComputationFailed");
  EXPECT_EQ(data->texts->show(data->rows[1].values[1]), "y");
  EXPECT_EQ(readError("k.json", R"({"Metadata": {}})"),
            ": `Metadata` or the list `Results` is missing");
  EXPECT_EQ(readError("k.json", R"({"Metadata": {"TimeUnit": "Weeks"},
              "Results": []})"),
            ": time unit is `Weeks`, expected Nanoseconds, Microseconds, "
            "Milliseconds or Seconds");
  EXPECT_EQ(readError("k.json", R"({"Metadata": {"TimeUnit": "Seconds"},
              "Results": [{}]})"),
            ": result 0: `Configuration` is missing or not a list");
}

TEST(Readers, T4) {
  std::string head = R"({"results": [{"timestamp": "t", "objectives": ["time"],
    "configuration": {"A": 2}, "times": {"compilation": 1, "runtimes": [2.5]},
    "invalidity": "correct",
    "measurements": [{"name": "time", "value": 2.5, "unit": ""}]},
   {"objectives": ["time"], "configuration": {"A": 4},
    "times": {"compilation_time": 1}, "invalidity": "runtime", "measurements":
    [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}]}],
   "schema_version": "1.0.0", "metadata": {"timeunit": ")";
  TempFile file("t4.json", head + "miliseconds\"}}");
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_EQ(data->format, "t4");
  EXPECT_DOUBLE_EQ(data->rows[0].seconds, 2.5e-3);
  EXPECT_FALSE(data->rows[1].ok);
  EXPECT_EQ(data->rows[1].failure, "RuntimeFailedConfig");
  EXPECT_EQ(readError("t4.json", head + "weeks\"}}"),
            ": result 0: the objective `time` has the unit `weeks`, expected a "
            "time: seconds, milliseconds, microseconds or nanoseconds");
  // Only a time can be made small.
  EXPECT_EQ(readError("t4.json", R"({"schema_version": "1.0.0", "results": [
              {"configuration": {"A": 1}, "objectives": ["GFLOP/s"],
               "measurements": [{"name": "GFLOP/s", "value": 9, "unit": ""}]}],
              "metadata": {"timeunit": "ms"}})"),
            ": result 0: the objective `GFLOP/s` has the unit ``, expected a "
            "time: seconds, milliseconds, microseconds or nanoseconds");
}

TEST(Readers, AutoScheduler) {
  TempFile file(
      "as.log",
      R"({"i": [["[\"matmul_layer\", 128, 64]", "cuda", []], [[], [["SP", 2, 0, 128, [2, 4, 1, 8], 1], ["PR", 4, 0, "auto_unroll_max_step$64"]]]], "r": [[0.5, 1.5], 0, 1, 1], "v": "v0.6"}
{"i": [["[\"matmul_layer\", 128, 64]", "cuda", []], [[], []]], "r": [[1e10], 4, 1, 1], "v": "v0.6"}
)");
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_EQ(data->kernel, "matmul_layer");
  EXPECT_DOUBLE_EQ(data->rows[0].seconds, 1);
  EXPECT_DOUBLE_EQ(data->rows[0].values[*data->column("sp0_3")], 8);
  EXPECT_DOUBLE_EQ(data->rows[0].values[*data->column("unroll")], 64);
  EXPECT_DOUBLE_EQ(data->rows[1].values[*data->column("sp0_3")], 0);
  EXPECT_DOUBLE_EQ(data->rows[1].values[*data->column("arg1")], 64);
  EXPECT_EQ(data->rows[1].failure, "error 4");
  EXPECT_EQ(readError("as.log", "# from somewhere\n{ \"i\": 1}"),
            ":2: expected \"i\": [task, state] and \"r\": [costs, error, …]");
}

TEST(Readers, Records) {
  TempFile file("r.jsonl",
                R"({"record": "header", "format": "hwtune-records", "schema": 1}
{"record": "run", "uid": "u", "key": {"gpu": "G"}, "config": {"a": 1}}
{"record": "trial", "config": {"a": 1}, "status": "ok", "times_ns": [3, 1, 2]}
{"record": "trial", "config": {"a": 2}, "status": "compile", "reason": "x"}
)");
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_EQ(data->device, "G");
  EXPECT_DOUBLE_EQ(data->rows[0].seconds, 2e-9);
  EXPECT_EQ(data->rows[1].failure, "compile");
  EXPECT_EQ(readError("r.jsonl", "{\"schema\": 1}\n{\"config\": {\"a\": 1}}"),
            ":2: `status` is missing");
  EXPECT_EQ(readError("r.jsonl", "{\"schema\": 1}\n{\"config\": {\"a\": 1}, "
                                 "\"status\": \"ok\"}"),
            ":2: an `ok` trial without `median_ns` or `times_ns`");
  // Two GPUs, or two operations, are two searches.
  std::string trial = R"({"record": "trial", "config": {"a": 1}, "status": "ok",
    "times_ns": [3]})";
  std::erase(trial, '\n');
  auto run = [&](const char *uid, const char *op, const char *gpu) {
    return fmt::format(R"({{"record": "run", "uid": "{}", "key": {{"op": "{}",
      "gpu": "{}"}}, "op_name": "mm", "shapes": "4x4"}})",
                       uid, op, gpu);
  };
  auto both = [&](std::string a, std::string b) {
    std::erase(a, '\n'), std::erase(b, '\n');
    return "{\"schema\": 1}\n" + a + "\n" + trial + "\n" + b + "\n" + trial;
  };
  EXPECT_EQ(readError("r.jsonl", both(run("u", "o", "G"), run("v", "o", "H"))),
            ": holds the runs of 2 searches, expected one (`hwtune-records "
            "export RUN`): mm 4x4 on G (run u); mm 4x4 on H (run v)");
  EXPECT_NE(readError("r.jsonl", both(run("u", "o", "G"), run("v", "p", "G"))),
            "");
  TempFile again("r.jsonl", both(run("u", "o", "G"), run("v", "o", "G")));
  EXPECT_TRUE(readDataset(again.path));
}

TEST(Readers, Csv) {
  TempFile file("c.csv", "{\"about\": 1}\nm,choice,feedback\n"
                         "8,t_BLOCK-M=16_w=2,0.5\n8,other,inf\n");
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_DOUBLE_EQ(data->rows[0].values[*data->column("BLOCK_M")], 16);
  EXPECT_DOUBLE_EQ(data->rows[0].seconds, 5e-4);
  EXPECT_FALSE(data->rows[1].ok);
  EXPECT_EQ(readError("c.csv", "m,feedback\n1,2,3\n"),
            ":2: has 3 cells, expected the 2 of the header");
  EXPECT_EQ(readError("c.csv", "seconds,m,time_ms\n1,2,3\n"),
            ":1: the header names `time_ms` beside another column of that name "
            "or time");
  EXPECT_EQ(readError("c.csv", "m,n\n1,2\n"),
            ":1: the header names no time column, expected one of feedback, "
            "time_ms, seconds");
}

TEST(Readers, Files) {
  EXPECT_EQ(readDataset("/nonexistent/x.json").error().str(),
            "/nonexistent/x.json: cannot open: No such file or directory");
  EXPECT_EQ(readDataset("/").error().str(), "/: is not a regular file");
  EXPECT_EQ(readError("what.bin", " \n"), ": is empty");
  EXPECT_EQ(readError("what.bin", "hello"),
            ": format not recognised; --format names one of kernel-tuner, ktt, "
            "t4, auto-scheduler, records, csv");
  EXPECT_NE(readError("what.bin", "hello", "xml").find("unknown format `xml`"),
            std::string::npos);
  EXPECT_NE(readError("bad.gz", "\x1f\x8b\x08 not really gzip at all")
                .find("gzip data are damaged"),
            std::string::npos);
  EXPECT_NE(readError("bad.xz", std::string("\xFD"
                                            "7zXZ\0garbage",
                                            13))
                .find("xz data are damaged"),
            std::string::npos);
}

TEST(Readers, TextsAndNumbersOfOneColumnStayApart) {
  TempFile csv("texts.csv", "u,time_ms\nnone,1\n0,2\nfull,3\n1,4\n0,2\n");
  Expected<Dataset> data = readDataset(csv.path);
  ASSERT_TRUE(data) << data.error().str();
  std::vector<std::string> shown;
  for (const Row &row : data->rows)
    shown.push_back(data->texts->show(row.values[0]));
  EXPECT_EQ(shown, (std::vector<std::string>{"none", "0", "full", "1", "0"}));
  TempFile map("texts.json", R"({"schema": 1, "parameters": ["u"],
    "keep_if": "u != 'full'"})");
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(mapping) << mapping.error().str();
  auto problems = makeProblems(*data, *mapping, {});
  ASSERT_TRUE(problems) << problems.error().str();
  // 0, 1, none: a column with a text has no order, whatever the mapping says.
  EXPECT_EQ(problems->front().search.parameters.data,
            (std::vector<float>{2, 0, 1}));
  EXPECT_TRUE(problems->front().search.categorical[0]);
}

TEST(Readers, AQuotedNumberIsAText) {
  TempFile file("q.json", R"({"tune_params_keys": ["a"], "cache": {
    "x": {"a": "8", "time": 1}, "y": {"a": 8, "time": 2}}})");
  Expected<Dataset> data = readDataset(file.path);
  ASSERT_TRUE(data) << data.error().str();
  EXPECT_NE(data->rows[0].values, data->rows[1].values);
  TempFile map("q-map.json", R"({"schema": 1, "parameters": ["a"],
    "features": {"threads_per_block": "32 * a", "blocks": "1"}})");
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(mapping) << mapping.error().str();
  auto problems = makeProblems(*data, *mapping, {"rtx-3090", true});
  ASSERT_FALSE(problems);
  EXPECT_NE(problems.error().str().find(
                "threads_per_block `32 * a` is nan for row 1 of "),
            std::string::npos)
      << problems.error().str();
}

/// A limit that stands for none, far above every count, is a number like
/// others.
TEST(Mapping, LargeNumbersAreNoTexts) {
  TempFile csv("large.csv", "a,b,time_ms\n1,x,1\n2,x,2\n1e30,y,3\n");
  TempFile map("large.json", R"({"schema": 1, "target": "t4",
    "constants": {"inf": 1e300}, "parameters": ["a", "b"],
    "let": {"limit": "b == 'x' ? 1e30 : 1.5e30"},
    "valid": {"too large": "2 * a <= limit", "never": "a < inf"},
    "features": {"threads_per_block": "32", "blocks": "1"}})");
  Expected<Dataset> data = readDataset(csv.path);
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(data && mapping);
  auto problems = makeProblems(*data, *mapping, {});
  ASSERT_TRUE(problems) << problems.error().str();
  EXPECT_EQ(problems->front().rows.size(), 2u);
  EXPECT_EQ(problems->front().removed,
            (std::map<std::string, size_t>{{"too large", 1}}));
}

/// Names that are no identifiers, behind the mark that spreadsheets write.
TEST(Mapping, NamesInBackquotes) {
  TempFile csv("names.csv",
               "\xEF\xBB\xBFtile-x,gr\u00f6\u00dfe,time_ms\n1,5,1\n2,5,2\n");
  TempFile map("names.json", R"({"schema": 1, "parameters": ["tile-x"],
    "valid": {"small": "`tile-x` * `gr\u00f6\u00dfe` < 10"}})");
  Expected<Dataset> data = readDataset(csv.path);
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(data && mapping);
  auto problems = makeProblems(*data, *mapping, {});
  ASSERT_TRUE(problems) << problems.error().str();
  EXPECT_EQ(problems->front().rows.size(), 1u);
}

/// Two operations in one file: that one candidate is the median of both is
/// said.
TEST(Mapping, RowsThatDifferInWhatIsNotSearchedAreCounted) {
  TempFile csv("mixed.csv", "n,a,time_ms\n64,1,1\n128,1,3\n64,2,2\n64,2,2\n");
  TempFile map("mixed.json", R"({"schema": 1, "parameters": ["a"]})");
  Expected<Dataset> data = readDataset(csv.path);
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(data && mapping);
  auto problems = makeProblems(*data, *mapping, {});
  ASSERT_TRUE(problems) << problems.error().str();
  EXPECT_EQ(problems->front().mixed, (std::map<std::string, size_t>{{"n", 1}}));
}

TEST(Mapping, NamesThatAreDeclaredOneKernelAreCompared) {
  TempFile csv("n.csv", "a,pad,time_ms\n1,0,1.00\n1,1,1.01\n2,0,2.0\n"
                        "2,1,1.0\n3,0,inf\n3,1,5\n");
  TempFile map("n.json", R"({"schema": 1, "parameters": ["a",
    {"name": "pad", "inert_if": "1"}]})");
  Expected<Dataset> data = readDataset(csv.path);
  Expected<Mapping> mapping = readMapping(map.path);
  ASSERT_TRUE(data && mapping);
  auto problems = makeProblems(*data, *mapping, {});
  ASSERT_TRUE(problems) << problems.error().str();
  EXPECT_EQ(problems->front().manyNamed, 2u);
  EXPECT_EQ(problems->front().unlikeNames, 1u);
  EXPECT_DOUBLE_EQ(problems->front().mostUnlike, 2);
  problems = makeProblems(*data, *mapping, {"", /*mergeClasses=*/false});
  EXPECT_EQ(problems->front().manyNamed, 0u);
}

TEST(Mapping, SaysWhatLeavesNothing) {
  TempFile csv("e.csv", "a,time_ms\n1,1\n2,inf\n");
  Expected<Dataset> data = readDataset(csv.path);
  ASSERT_TRUE(data);
  auto error = [&](const char *rule) {
    TempFile map("e.json",
                 std::string(R"({"schema": 1, "parameters": ["a"], )") + rule +
                     "}");
    Expected<Mapping> mapping = readMapping(map.path);
    EXPECT_TRUE(mapping);
    auto problems = makeProblems(*data, *mapping, {});
    EXPECT_FALSE(problems);
    return problems ? "" : problems.error().message;
  };
  EXPECT_NE(error(R"("keep_if": "0")").find("keeps none of its rows"),
            std::string::npos);
  EXPECT_NE(error(R"("valid": {"never": "0"})")
                .find("rules out all of the 1 configurations of it that ran"),
            std::string::npos);
  EXPECT_EQ(error(R"("keep_if": "a == 2")"),
            "no configuration of it has a time");
}

namespace {

/// Rows of two layouts, of which `row` is the fast one.
std::string layouts(const char *first, const char *second) {
  std::string text = "layout,threads,time_ms\n";
  for (const char *layout : {first, second})
    for (int threads : {32, 64, 128})
      text += fmt::format("{},{},{}\n", layout, threads,
                          (std::string(layout) == "row" ? 1 : 3) *
                              (1 + 1.0 / threads));
  return text;
}

} // namespace

TEST(Transfer, MatchesTextsByTheTextNotItsPlaceInTheFile) {
  TempFile a("ta.csv", layouts("row", "col")),
      b("tb.csv", layouts("col", "row"));
  for (std::string group : {"", R"("group_by": ["layout"],)"}) {
    TempFile map("t.json", R"({"schema": 1, "target": "t4", )" + group + R"(
      "parameters": ["layout", "threads"],
      "features": {"threads_per_block": "threads", "blocks": "100"}})");
    Expected<Mapping> mapping = readMapping(map.path);
    ASSERT_TRUE(mapping) << mapping.error().str();
    auto texts = std::make_shared<Texts>();
    Expected<Dataset> from = readDataset(a.path, "", texts);
    Expected<Dataset> to = readDataset(b.path, "", texts);
    auto sources = makeProblems(*from, *mapping, {});
    auto targets = makeProblems(*to, *mapping, {});
    ASSERT_TRUE(sources && targets);
    for (ReplayProblem &source : *sources)
      for (ReplayProblem &target : *targets) {
        if (source.name != target.name)
          continue;
        ReplayOptions options;
        options.seeds = 1;
        Expected<TransferSummary> t = transfer(source, target, options, {});
        ASSERT_TRUE(t) << t.error().str();
        EXPECT_DOUBLE_EQ(t->winner, 1);
        EXPECT_EQ(t->shared, group.empty() ? 6u : 3u);
      }
    if (!group.empty()) {
      std::set<std::string> names;
      for (const ReplayProblem &p : *targets)
        names.insert(p.name);
      EXPECT_EQ(names, (std::set<std::string>{"layout=col", "layout=row"}));
    }
  }
}

namespace {

const char kMapping[] = R"({"schema": 1, "name": "test",
  "targets": {"NVIDIA GeForce RTX 2080 Ti": {"base": "rtx-2080-ti", "sm_count": 72}},
  "constants": {"n": 1024},
  "parameters": ["a", {"name": "b", "categorical": true, "inert_if": "a == 1"}],
  "let": {"threads": "32 * a"},
  "valid": {"too many threads": "threads <= 64"},
  "features": {"threads_per_block": "threads", "blocks": "n / a", "fma32": "100"},
  "streams": [{"if": "b", "loads": "a", "shared": true}, {"loads": 3}]})";

Expected<std::vector<ReplayProblem>> problemsOf(const std::string &mapping) {
  TempFile data("d.json", std::string(kCache) + "}}");
  TempFile map("m.json", mapping);
  Expected<Dataset> d = readDataset(data.path);
  Expected<Mapping> m = readMapping(map.path);
  if (!m)
    return m.error();
  return makeProblems(*d, *m, {});
}

std::string mappingError(std::string text, const std::string &from,
                         const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  Expected<std::vector<ReplayProblem>> p = problemsOf(text);
  EXPECT_FALSE(p) << to;
  if (p)
    return "";
  std::string message = p.error().str();
  if (size_t colon = message.find("m.json: "); colon != std::string::npos)
    message = message.substr(colon + 8);
  // The data file's name, which differs from run to run.
  if (size_t end = message.find("d.json"); end != std::string::npos) {
    size_t start = message.find(testing::TempDir());
    message.replace(start, end + 6 - start, "DATA");
  }
  return message;
}

} // namespace

TEST(Mapping, Problem) {
  auto problems = problemsOf(kMapping);
  ASSERT_TRUE(problems) << problems.error().str();
  ASSERT_EQ(problems->size(), 1u);
  ReplayProblem &p = problems->front();
  EXPECT_EQ(p.target.smCount, 72);
  EXPECT_EQ(p.rows.size(), 4u); // a = 4 is ruled out
  EXPECT_EQ(p.removed,
            (std::map<std::string, size_t>{{"too many threads", 1}}));
  EXPECT_EQ(p.removedValid, 0u);
  EXPECT_EQ(p.classCount, 3u); // b is inert where a = 1
  EXPECT_DOUBLE_EQ(p.optimum, 1e-3);
  EXPECT_EQ(p.features[0].numStreams, 1); // b = 0
  EXPECT_EQ(p.features[3].numStreams, 2);
  EXPECT_DOUBLE_EQ(p.features[3].streams[0].loads, 2);
  EXPECT_TRUE(p.features[3].streams[0].isShared);
  EXPECT_DOUBLE_EQ(p.features[3].blocks, 512);
}

TEST(Mapping, Errors) {
  EXPECT_EQ(mappingError(kMapping, "\"schema\": 1", "\"schema\": 2"),
            "`schema` is 2, expected 1");
  EXPECT_NE(mappingError(kMapping, "\"let\"", "\"lets\"")
                .find("unknown member `lets`, expected one of schema, name"),
            std::string::npos);
  EXPECT_EQ(
      mappingError(kMapping, "\"32 * a\"", "\"32 * q\""),
      "for DATA: let `threads`: in `32 * q` at column 6: unknown name `q`, "
      "expected a parameter of the data set, a constant, or an earlier "
      "`let`");
  EXPECT_EQ(mappingError(kMapping, "\"n / a\"", "\"n / (a - 1)\""),
            "blocks `n / (a - 1)` is inf for row 1 of DATA, expected a finite "
            "number");
  EXPECT_EQ(
      mappingError(kMapping, "\"loads\": 3", "\"loads\": -3"),
      "stream 1 loads `-3` is -3 for row 1 of DATA, expected a number from "
      "0 to 1e18");
  EXPECT_EQ(mappingError(kMapping, "\"fma32\": \"100\"", "\"tensor_type\": 99"),
            "tensor_type `99` is 99 for row 1 of DATA, expected one of NONE, "
            "F16_ACC_F32, F16_ACC_F16, BF16, TF32, F64, I8, I4, F8, F4");
  EXPECT_EQ(mappingError(kMapping, "\"100\"", "\"1e300\""),
            "fma32 `1e300` is 1e+300 for row 1 of DATA, expected a number from "
            "0 to 1e18");
  EXPECT_EQ(mappingError(kMapping, "\"if\": \"b\"", "\"if\": \"b < 'x'\""),
            "a stream's `if` `b < 'x'` is nan for row 1 of DATA, expected a "
            "finite number; no text has one");
  EXPECT_EQ(mappingError(kMapping, "a == 1\"", "a + 'x'\""),
            "`inert_if` `a + 'x'` is nan for row 1 of DATA, expected a finite "
            "number; no text has one");
  EXPECT_NE(mappingError(kMapping, "\"fma32\"", "\"fma\"")
                .find("unknown feature field `fma`, expected one of threads"),
            std::string::npos);
  EXPECT_NE(mappingError(kMapping, "\"loads\": 3", "\"load\": 3")
                .find("unknown stream field `load`, expected one of loads"),
            std::string::npos);
  EXPECT_NE(
      mappingError(kMapping, "[\"a\",", "[\"c\",").find("`c` is no column of"),
      std::string::npos);
  EXPECT_EQ(mappingError(kMapping, "\"sm_count\": 72", "\"sms\": 72"),
            "unknown target field `sms`");
  EXPECT_EQ(mappingError(kMapping, "2080 Ti\":", "9999\":"),
            "no target for device `NVIDIA GeForce RTX 2080 Ti`; name it under "
            "`targets`, or give --target");
  EXPECT_NE(mappingError(kMapping, "\"rtx-2080-ti\"", "\"rtx-2080\"")
                .find("rtx-2080"),
            std::string::npos);
  EXPECT_EQ(mappingError(kMapping, "\"n\": 1024", "\"n\": \"a\""),
            "constant `n` is `a`, expected a number");
  EXPECT_EQ(mappingError(kMapping, "\"100\"", "[1]"),
            "`fma32` of `features` is [1], expected an expression");
  EXPECT_EQ(mappingError(kMapping, "\"100\"", "\"-a\"").substr(0, 14),
            "fma32 `-a` is ");
  EXPECT_EQ(mappingError(kMapping, "\"n\": 1024", "\"n\": 1, \"a\": 3"),
            "constant `a` is a column of DATA as well; a `let` may replace it");
  EXPECT_EQ(mappingError(kMapping, "\"fma32\"", "\"mma_insts\""),
            "`features` has `mma_insts` and no `tensor_type`, expected one of "
            "NONE, F16_ACC_F32, F16_ACC_F16, BF16, TF32, F64, I8, I4, F8, F4");
  EXPECT_EQ(mappingError(kMapping, "\"32 * a\"", "\"a < 'x'\""),
            "threads `a < 'x'` is nan for row 1 of DATA, expected a "
            "finite number; no text has one");
  EXPECT_EQ(mappingError(kMapping, "threads <= 64", "'x' ? 1 : 1"),
            "valid `too many threads` `'x' ? 1 : 1` is nan for row 1 of DATA, "
            "expected a finite number; no text has one");
  EXPECT_EQ(mappingError(kMapping, "\"blocks\"", "\"launches\""),
            "`features` has no `blocks`, which the model needs");
  EXPECT_EQ(mappingError(kMapping, "\"n / a\"", "\"0 * a\"").substr(0, 18),
            "row 1 of DATA has ");
  auto ofParameters = [](const std::string &parameters) {
    return mappingError(R"({"schema": 1, "parameters": [@]})", "@", parameters);
  };
  EXPECT_EQ(ofParameters(R"({"name": "a", "categoricl": true})"),
            "unknown member `categoricl` of parameter `a`, expected one of "
            "name, categorical, inert_if");
  EXPECT_EQ(ofParameters(R"({"name": "a", "categorical": "yes"})"),
            "`categorical` of parameter `a` is \"yes\", expected true or "
            "false");
  EXPECT_EQ(ofParameters(R"({"name": "a", "inert_if": ["b"]})"),
            "`inert_if` of parameter `a` is [\"b\"], expected an expression");
  EXPECT_EQ(ofParameters(R"("a", "b", "a")"), "parameter `a` stands twice");
  auto withMember = [](const std::string &text) {
    return mappingError(R"({"schema": 1, @, "parameters": ["a", "b"]})", "@",
                        text);
  };
  EXPECT_EQ(withMember(R"("streams": [{"loads": 1}])"),
            "`streams` without `features`: the model needs both");
  EXPECT_EQ(withMember(R"("keep_if": "a < 'b'")"),
            "`keep_if` `a < 'b'` is nan for row 1 of DATA, expected a finite "
            "number; no text has one");
  EXPECT_EQ(withMember(R"("keep_if": [1])"),
            "`keep_if` is [1], expected an expression");
  EXPECT_EQ(withMember(R"("targets": ["t4"])"),
            "`targets` is [\"t4\"], expected an object device name -> target");
  EXPECT_EQ(withMember(R"("group_by": [3])"),
            "a column of `group_by` is 3, expected its name");
}

TEST(Replay, QuartilesAndRanks) {
  Quartiles q = quartiles({4, 1, 3, 2, 5});
  EXPECT_DOUBLE_EQ(q.q25, 2);
  EXPECT_DOUBLE_EQ(q.median, 3);
  EXPECT_DOUBLE_EQ(quartiles({1, INFINITY, INFINITY}).q25, INFINITY);
  EXPECT_DOUBLE_EQ(quartiles({1, 2, INFINITY}).median, 2);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(spearman({1, 1, 1}, {3, 2, 1}), 0);
  EXPECT_NEAR(spearman({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12);
}

TEST(Replay, CountsFailuresAsMeasurements) {
  std::string mapping = R"({"schema": 1, "parameters": ["a", "b"]})";
  auto problems = problemsOf(mapping);
  ASSERT_TRUE(problems) << problems.error().str();
  ReplayOptions options;
  options.budget = 10;
  Expected<Trace> t = replayOnce(problems->front(), "exhaustive", 0, options);
  ASSERT_TRUE(t);
  // In the file's order: 4, 2, failed, 3, 1 ms.
  EXPECT_EQ(t->best, (std::vector<double>{4, 2, 2, 2, 1}));
  EXPECT_EQ(t->failures, 1u);
  EXPECT_EQ(t->to5, 5u);
  EXPECT_DOUBLE_EQ(t->after(3), 2);
  EXPECT_DOUBLE_EQ(t->after(100), 1);
}

TEST(Options, Errors) {
  auto error = [](std::vector<const char *> args) {
    args.insert(args.begin(), "hwtune-replay");
    Expected<Options> o =
        parseOptions(int(args.size()), const_cast<char **>(args.data()));
    return o ? std::string() : o.error().str();
  };
  EXPECT_EQ(error({}), "no data file given; --help shows the usage");
  EXPECT_EQ(error({"x"}), "no --mapping=FILE given");
  EXPECT_EQ(error({"x", "--maping=y"}),
            "unknown option `--maping`; --help lists them");
  EXPECT_EQ(error({"x", "--mapping=y", "--seeds=0"}),
            "--seeds=0 is not a number from 1 to 100000");
  EXPECT_EQ(error({"x", "--mapping=y", "--seeds"}),
            "--seeds needs a value: --seeds=N");
  EXPECT_EQ(error({"x", "--black-box=1"}), "--black-box takes no value");
  EXPECT_EQ(error({"x", "--strategy=magic"}),
            "unknown strategy `magic`, expected one of exhaustive, random, "
            "annealing, genetic, bayes, model, auto or all");
  EXPECT_EQ(error({"x", "--mapping=y", "--strategy=auto,random"}), "");
  EXPECT_EQ(error({"x", "--strategy=auto,random,auto"}),
            "--strategy names `auto` twice");
  EXPECT_EQ(error({"x", "--target="}), "--target needs an id or a file");
  EXPECT_EQ(error({"x", "--mapping=y", "--black-box", "--target=t4"}),
            "--black-box and --target exclude each other");
  EXPECT_EQ(error({"x", "--mapping=y", "--hide-best=0.1"}),
            "--hide-best needs --transfer-from=FILE");
  EXPECT_EQ(error({"x", "--mapping=y", "--list=3"}),
            "--list needs --model-only");
  EXPECT_EQ(error({"x", "--mapping=y", "--model-only", "--black-box"}),
            "--black-box has no effect with --model-only");
  EXPECT_EQ(error({"x", "--mapping=y", "--transfer-from=z", "--budget=9"}),
            "--budget has no effect with --transfer-from");
  EXPECT_EQ(error({"x", "--mapping=y", "--transfer-from=z", "--model-only"}),
            "--model-only has no effect with --transfer-from");
  EXPECT_EQ(error({"x", "--mapping=y", "--curve", "--strategy=random"}),
            "--curve and --strategy exclude each other");
  EXPECT_EQ(error({"x", "--mapping=y", "--black-box", "--wrong-branch=2"}),
            "--black-box and --wrong-branch exclude each other");
  EXPECT_EQ(error({"x", "--mapping=y", "--trace", "--json=-"}),
            "--trace prints text, --json=- JSON: one of them");
  EXPECT_EQ(error({"x", "--mapping=y", "--json="}),
            "--json needs a file, or - for the standard output");
}
