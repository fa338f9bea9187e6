//===- Report.h - a tuning run, for people -------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNE_REPORT_REPORT_H
#define HWTUNE_TOOLS_HWTUNE_REPORT_REPORT_H

#include "hwtune/Records/Database.h"

#include <string>

namespace hwtune {

struct ReportFilter {
  std::string run; ///< number or uid; "" = every finished one
  std::string op, gpu;
};

/// What the four steps of the loop left behind, run by run.
Expected<std::string> report(Database &db, const ReportFilter &filter,
                             bool markdown);

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNE_REPORT_REPORT_H
