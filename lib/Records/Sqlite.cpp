//===- Sqlite.cpp - a thin hold on SQLite ---------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"

#include <fmt/format.h>

namespace hwtune {

Statement::Statement(sqlite3 *db, const char *sql) {
  error = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
}

Statement &Statement::bind(std::string_view text) {
  sqlite3_bind_text64(statement, next++, text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement &Statement::bind(int64_t number) {
  sqlite3_bind_int64(statement, next++, number);
  return *this;
}
Statement &Statement::bind(double number) {
  sqlite3_bind_double(statement, next++, number);
  return *this;
}
Statement &Statement::bindNull() {
  sqlite3_bind_null(statement, next++);
  return *this;
}

int Statement::step() {
  return error != SQLITE_OK ? error : sqlite3_step(statement);
}

std::string Statement::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(statement, column);
  if (!bytes)
    return {};
  return std::string(reinterpret_cast<const char *>(bytes),
                     size_t(sqlite3_column_bytes(statement, column)));
}

Error Connection::error(std::string_view action, int code) const {
  std::string why = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  std::string_view fix;
  switch (code & 0xff) {
  case SQLITE_NOTADB:
    fix =
        "; it is no hwtune database: choose another path, nothing was changed";
    break;
  case SQLITE_CORRUPT:
    fix = "; the file is damaged: move it away or restore a copy, nothing was "
          "changed";
    break;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    fix = "; another process has held it for more than ten seconds";
    break;
  case SQLITE_FULL:
  case SQLITE_IOERR:
    fix = "; what was written before is safe";
    break;
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
    fix =
        "; check that the folder exists and can be written, or choose another "
        "path";
    break;
  default:
    break;
  }
  return Error{
      fmt::format("cannot {} the database '{}': {}{}", action, path, why, fix),
      ""};
}

Status Connection::run(const char *sql, std::string_view action) {
  int code = sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK)
    return error(action, code);
  return success();
}

Expected<int64_t> Connection::integer(const char *sql,
                                      std::string_view action) {
  Statement statement(db, sql);
  int code = statement.step();
  if (code == SQLITE_ROW)
    return statement.integer(0);
  if (code == SQLITE_DONE)
    return int64_t(0);
  return error(action, code);
}

Status Connection::finish(Statement &statement, std::string_view action) {
  int code = statement.step();
  if (code != SQLITE_DONE && code != SQLITE_ROW)
    return error(action, code);
  return success();
}

Transaction::~Transaction() {
  if (open)
    sqlite3_exec(connection.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Status Transaction::begin() {
  // Takes the write lock at once: waiting for it later could dead-lock.
  Status status = connection.run("BEGIN IMMEDIATE", "write to");
  open = bool(status);
  return status;
}

Status Transaction::commit() {
  Status status = connection.run("COMMIT", "write to");
  if (status)
    open = false;
  return status;
}

} // namespace hwtune
