//===- Progress.cpp - what a person sees of a run -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/Progress.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

namespace hwtune {

/// "3 compile, 1 wrong", or "".
static std::string failureText(const std::map<TrialStatus, size_t> &failures) {
  std::string text;
  for (const auto &[status, count] : failures)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                        toString(status));
  return text;
}

std::string progressLine(const TuneProgress &p, bool bar) {
  std::string text = p.op.empty() ? "" : p.op + " ";
  if (bar && p.total) {
    constexpr size_t kWidth = 20;
    size_t full = std::min(p.done, p.total) * kWidth / p.total;
    text +=
        "[" + std::string(full, '#') + std::string(kWidth - full, '-') + "] ";
  }
  text += p.total ? fmt::format("{}/{}", p.done, p.total)
                  : fmt::format("{} trials", p.done);
  if (p.bestSeconds) {
    text += fmt::format(", best {} {}", formatTime(*p.bestSeconds),
                        toString(p.label));
    if (p.genericSeconds)
      text += fmt::format(" ({:.2f}x)", *p.genericSeconds / *p.bestSeconds);
  }
  if (std::string failures = failureText(p.failures); !failures.empty())
    text += ", failed: " + failures;
  text += ", " + formatDuration(p.elapsedSeconds);
  if (p.etaSeconds && p.done < p.total)
    text += ", ETA " + formatDuration(*p.etaSeconds);
  return text;
}

namespace {

class Printer final : public TuneObserver {
public:
  Printer(std::FILE *out, bool terminal) : out(out), terminal(terminal) {}
  ~Printer() override { clear(); }

  void started(const TuneProgress &p) override {
    lastDone = 0;
    lastBest.reset();
    shown.clear();
    show(p);
  }
  void trial(const TrialRecord &trial, const TuneProgress &p) override {
    if (!trial.ok() && shown.insert(trial.status).second)
      line(fmt::format("first failure of kind {}: {} {}: {}",
                       toString(trial.status), trial.schedule,
                       configText(trial.config), trial.reason));
    bool newBest = p.bestSeconds && p.bestSeconds != lastBest;
    bool tenth = p.total && p.done * 10 / p.total > lastDone * 10 / p.total;
    if (terminal || newBest || tenth || p.done == p.total ||
        p.elapsedSeconds - lastTime >= 10)
      show(p);
    if (newBest)
      lastBest = p.bestSeconds;
  }
  void activity(const std::string &what) override { line(what); }
  void warning(const std::string &text) override { line("warning: " + text); }
  void finished(const TuneResult &result) override {
    line(fmt::format("{}: {}", result.run.opName, result.stopReason));
  }

private:
  void show(const TuneProgress &p) {
    lastDone = p.done;
    lastTime = p.elapsedSeconds;
    std::string text = progressLine(p, terminal);
    if (!terminal)
      return line(text);
    // Back to the start of the line, and clear what is longer than the text.
    std::fprintf(out, "\r%s\033[K", text.c_str());
    std::fflush(out);
    drawn = true;
  }
  void line(const std::string &text) {
    clear();
    std::fprintf(out, "hwtune: %s\n", text.c_str());
    std::fflush(out);
  }
  void clear() {
    if (drawn)
      std::fputs("\r\033[K", out);
    drawn = false;
  }

  std::FILE *out;
  bool terminal, drawn = false;
  size_t lastDone = 0;
  double lastTime = 0;
  std::optional<double> lastBest;
  std::set<TrialStatus> shown;
};

class EventLog final : public TuneObserver {
public:
  EventLog(std::FILE *file, std::string path, std::FILE *complaints)
      : file(file), path(std::move(path)), complaints(complaints) {}
  ~EventLog() override { std::fclose(file); }

  void started(const TuneProgress &p) override {
    write({{"event", "started"}, {"op", p.op}, {"total", p.total}});
  }
  void trial(const TrialRecord &trial, const TuneProgress &p) override {
    OrderedJson json = {{"event", "trial"},
                        {"op", p.op},
                        {"done", p.done},
                        {"total", p.total},
                        {"elapsed_s", p.elapsedSeconds}};
    json["trial"] = toJson(trial);
    write(json);
  }
  void activity(const std::string &what) override {
    write({{"event", "activity"}, {"text", what}});
  }
  void warning(const std::string &text) override {
    write({{"event", "warning"}, {"text", text}});
  }
  void finished(const TuneResult &result) override {
    write({{"event", "finished"},
           {"interrupted", result.interrupted},
           {"resumed", result.resumed},
           {"run", toJson(result.run)}});
  }

private:
  void write(const OrderedJson &json) {
    std::string line = dumpJson(json) + "\n";
    bool written =
        std::fwrite(line.data(), 1, line.size(), file) == line.size() &&
        std::fflush(file) == 0; // somebody may be reading along
    if (!written && isWhole)
      std::fprintf(complaints, "hwtune: cannot write the event log '%s': %s\n",
                   path.c_str(), strerror(errno));
    isWhole &= written;
  }
  std::FILE *file;
  std::string path;
  std::FILE *complaints;
  bool isWhole = true;
};

class ObserverList final : public TuneObserver {
public:
  explicit ObserverList(std::vector<TuneObserver *> observers)
      : observers(std::move(observers)) {}
  void started(const TuneProgress &p) override {
    for (TuneObserver *o : observers)
      o->started(p);
  }
  void trial(const TrialRecord &trial, const TuneProgress &p) override {
    for (TuneObserver *o : observers)
      o->trial(trial, p);
  }
  void activity(const std::string &what) override {
    for (TuneObserver *o : observers)
      o->activity(what);
  }
  void warning(const std::string &text) override {
    for (TuneObserver *o : observers)
      o->warning(text);
  }
  void finished(const TuneResult &result) override {
    for (TuneObserver *o : observers)
      o->finished(result);
  }

private:
  std::vector<TuneObserver *> observers;
};

} // namespace

std::unique_ptr<TuneObserver> makeProgressPrinter(std::FILE *out,
                                                  bool terminal) {
  return std::make_unique<Printer>(out, terminal);
}

Expected<std::unique_ptr<TuneObserver>> makeEventLog(const std::string &path,
                                                     std::FILE *complaints) {
  std::FILE *file = std::fopen(path.c_str(), "we");
  if (!file)
    return Error{fmt::format("cannot write the event log '{}': {}", path,
                             strerror(errno)),
                 ""};
  return std::unique_ptr<TuneObserver>(
      std::make_unique<EventLog>(file, path, complaints));
}

std::unique_ptr<TuneObserver>
makeObserverList(std::vector<TuneObserver *> observers) {
  return std::make_unique<ObserverList>(std::move(observers));
}

} // namespace hwtune
