//===- Sqlite.h - a thin hold on SQLite ----------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_RECORDS_SQLITE_H
#define HWTUNE_LIB_RECORDS_SQLITE_H

#include "hwtune/Support/Expected.h"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hwtune {

/// A prepared statement. Errors are kept by the connection.
class Statement {
public:
  Statement(sqlite3 *db, const char *sql);
  ~Statement() { sqlite3_finalize(statement); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(std::string_view text);
  Statement &bind(int64_t number);
  Statement &bind(double number);
  template <typename T> Statement &bind(const std::optional<T> &value) {
    return value ? bind(*value) : bindNull();
  }
  Statement &bindNull();

  /// SQLITE_ROW, SQLITE_DONE or an error code.
  int step();
  int64_t integer(int column) const {
    return sqlite3_column_int64(statement, column);
  }
  std::string text(int column) const;

private:
  sqlite3_stmt *statement = nullptr;
  int next = 1;
  int error = SQLITE_OK;
};

/// One connection and the file's name for its errors.
class Connection {
public:
  Connection(sqlite3 *db, std::string path) : db(db), path(std::move(path)) {}
  ~Connection() { sqlite3_close_v2(db); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  sqlite3 *get() const { return db; }
  /// "cannot ACTION the database 'path': why", with what to do about it.
  Error error(std::string_view action, int code) const;
  Status run(const char *sql, std::string_view action);
  /// First column of the first row of `sql`.
  Expected<int64_t> integer(const char *sql, std::string_view action);
  /// Steps a statement that returns no row.
  Status finish(Statement &statement, std::string_view action);

private:
  sqlite3 *db;
  std::string path;
};

/// Rolled back unless committed.
class Transaction {
public:
  explicit Transaction(Connection &connection) : connection(connection) {}
  ~Transaction();
  Status begin();
  Status commit();

private:
  Connection &connection;
  bool open = false;
};

} // namespace hwtune

#endif // HWTUNE_LIB_RECORDS_SQLITE_H
