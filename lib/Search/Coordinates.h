//===- Coordinates.h - where candidates stand -----------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_COORDINATES_H
#define HWTUNE_LIB_SEARCH_COORDINATES_H

#include "hwtune/Search/SearchProblem.h"

#include <Eigen/Core>

namespace hwtune {

/// These rows of a table.
Eigen::MatrixXf rowsOf(const Table &table, const std::vector<size_t> &rows);

/// Parameters of these candidates, categorical ones as one column a value (two
/// values: one column). `branches`: the categorical parameters that differ, as
/// they are.
Eigen::MatrixXf parameterCoordinates(const SearchProblem &problem,
                                     const std::vector<size_t> &rows,
                                     Eigen::MatrixXf *branches);

/// The parameters of `rows` that have more than one value, class x parameter:
/// what an effect per value needs, ordered or not.
Eigen::MatrixXf valueColumns(const SearchProblem &problem,
                             const std::vector<size_t> &rows);

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_COORDINATES_H
