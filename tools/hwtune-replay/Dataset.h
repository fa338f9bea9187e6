//===- Dataset.h - times recorded by any tuner -------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_DATASET_H
#define HWTUNE_REPLAY_DATASET_H

#include "Texts.h"

#include "hwtune/Support/Expected.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune::replay {

struct Row {
  std::vector<double> values; ///< one per column; texts by their code
  bool ok = false;
  double seconds = 0;  ///< where ok
  std::string failure; ///< the tuner's own word, where not ok
};

struct Dataset {
  std::string file;
  std::string format; ///< "kernel-tuner", "ktt", "t4", ...
  std::string device; ///< "" where the file does not say
  std::string kernel;
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::shared_ptr<Texts> texts = std::make_shared<Texts>();

  std::optional<size_t> column(std::string_view name) const;
};

/// Formats: kernel-tuner, ktt, t4, auto-scheduler, records, csv; "" = by the
/// content. `.gz` and `.xz` are unpacked. The file is untrusted: sizes are
/// limited, and every error names the file and the place in it. `texts`: of the
/// data sets that this one is compared with.
Expected<Dataset>
readDataset(const std::string &path, std::string_view format = "",
            const std::shared_ptr<Texts> &texts = std::make_shared<Texts>());

// One reader per format, in a file of the same name.
Expected<Dataset> readKernelTuner(const std::string &path, std::string text);
Expected<Dataset> readKtt(const std::string &path, const std::string &text);
Expected<Dataset> readT4(const std::string &path, const std::string &text);
Expected<Dataset> readAutoScheduler(const std::string &path,
                                    std::string_view text);
Expected<Dataset> readRecords(const std::string &path, std::string_view text);
Expected<Dataset> readCsv(const std::string &path, std::string_view text);

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_DATASET_H
