//===- Dataset.cpp - times recorded by any tuner --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataset.h"

#include "hwtune/Records/PackedFile.h"
#include "hwtune/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>

namespace hwtune::replay {

std::optional<size_t> Dataset::column(std::string_view name) const {
  auto it = std::find(columns.begin(), columns.end(), name);
  if (it == columns.end())
    return std::nullopt;
  return size_t(it - columns.begin());
}

namespace {

/// The format by what the text starts with; "" if it is none we know.
std::string guess(const std::string &path, std::string_view text) {
  std::string_view head = text.substr(0, 4096);
  for (; head.starts_with('#'); head = trim(head)) // comments come first
    head.remove_prefix(std::min(head.find('\n'), head.size()));
  auto has = [&](std::string_view s) { return head.find(s) != head.npos; };
  if (head.starts_with('{') && trim(head.substr(1)).starts_with("\"i\""))
    return "auto-scheduler";
  if (has("\"tune_params_keys\"") || has("\"kernel_name\""))
    return "kernel-tuner";
  if (has("\"schema_version\"") && text.find("\"objectives\"") != text.npos)
    return "t4";
  if (has("\"Metadata\"") || has("\"KttVersion\""))
    return "ktt";
  if (has("\"code_hash\"")) // AutoTVM's logs, which nobody here reads
    return "";
  if (has("\"hwtune-records\"") || has("\"config\"") || has("\"schema\""))
    return "records";
  if (path.find(".csv") != path.npos)
    return "csv";
  return "";
}

/// The reader knew its own texts only.
void shareTexts(Dataset &data, const std::shared_ptr<Texts> &texts) {
  for (Row &row : data.rows)
    for (double &value : row.values)
      if (Texts::isText(value))
        value = texts->code(data.texts->show(value));
  data.texts = texts;
}

} // namespace

Expected<Dataset> readDataset(const std::string &path, std::string_view asked,
                              const std::shared_ptr<Texts> &texts) {
  Expected<std::string> text = readPackedFile(path);
  if (!text)
    return text.error();
  if (trim(*text).empty())
    return Error{"is empty", path};
  std::string format = asked.empty() ? guess(path, *text) : std::string(asked);
  Expected<Dataset> data =
      format == "kernel-tuner"     ? readKernelTuner(path, std::move(*text))
      : format == "ktt"            ? readKtt(path, *text)
      : format == "t4"             ? readT4(path, *text)
      : format == "auto-scheduler" ? readAutoScheduler(path, *text)
      : format == "records"        ? readRecords(path, *text)
      : format == "csv"
          ? readCsv(path, *text)
          : Expected<Dataset>(Error{
                asked.empty()
                    ? std::string("format not recognised; --format names one "
                                  "of kernel-tuner, ktt, t4, auto-scheduler, "
                                  "records, csv")
                    : fmt::format("unknown format `{}`, expected "
                                  "kernel-tuner, ktt, t4, auto-scheduler, "
                                  "records or csv",
                                  asked),
                path});
  if (!data)
    return data;
  data->file = path;
  data->format = format;
  if (data->rows.empty())
    return Error{"holds no configuration", path};
  shareTexts(*data, texts);
  return data;
}

} // namespace hwtune::replay
