//===- Coordinates.cpp - where candidates stand --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coordinates.h"

#include <algorithm>

namespace hwtune {

Eigen::MatrixXf rowsOf(const Table &table, const std::vector<size_t> &rows) {
  Eigen::MatrixXf m(Eigen::Index(rows.size()), Eigen::Index(table.columns));
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < table.columns; ++j)
      m(Eigen::Index(i), Eigen::Index(j)) = table.at(rows[i], j);
  return m;
}

Eigen::MatrixXf parameterCoordinates(const SearchProblem &problem,
                                     const std::vector<size_t> &rows,
                                     Eigen::MatrixXf *branches) {
  Eigen::MatrixXf all = rowsOf(problem.parameters, rows);
  std::vector<Eigen::VectorXf> columns, branchColumns;
  for (Eigen::Index j = 0; j < all.cols(); ++j) {
    bool categorical = size_t(j) < problem.categorical.size() &&
                       problem.categorical[size_t(j)];
    if (!categorical) {
      columns.push_back(all.col(j));
      continue;
    }
    std::vector<float> values(all.col(j).begin(), all.col(j).end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() < 2)
      continue;
    branchColumns.push_back(all.col(j));
    // Two values need one column.
    for (size_t v = values.size() == 2 ? 1 : 0; v < values.size(); ++v)
      columns.push_back(
          (all.col(j).array() == values[v]).cast<float>().matrix());
  }
  auto join = [&](const std::vector<Eigen::VectorXf> &parts) {
    Eigen::MatrixXf m(all.rows(), Eigen::Index(parts.size()));
    for (size_t i = 0; i < parts.size(); ++i)
      m.col(Eigen::Index(i)) = parts[i];
    return m;
  };
  *branches = join(branchColumns);
  return join(columns);
}

Eigen::MatrixXf valueColumns(const SearchProblem &problem,
                             const std::vector<size_t> &rows) {
  Eigen::MatrixXf all = rowsOf(problem.parameters, rows);
  std::vector<Eigen::Index> varying;
  for (Eigen::Index j = 0; j < all.cols(); ++j)
    if ((all.col(j).array() != all(0, j)).any())
      varying.push_back(j);
  return all(Eigen::all, varying);
}

} // namespace hwtune
