//===- WorkerProcess.cpp - one long-lived child ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerProcess.h"

#include "hwtune/Support/Text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hwtune {

static double monotonicSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Between looks at the cancel token.
static constexpr int kPollMilliseconds = 50;
static constexpr size_t kKeptErrors = 8192;

namespace {
/// Both ends of a connection; whatever is left open is closed.
struct Ends {
  int parent = -1, child = -1;
  ~Ends() {
    closeChild();
    if (parent >= 0)
      ::close(parent);
  }
  void closeChild() {
    if (child >= 0)
      ::close(child);
    child = -1;
  }
  int take() { return std::exchange(parent, -1); }
};
} // namespace

static bool makePipe(Ends &ends) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return false;
  ends.parent = fds[0], ends.child = fds[1];
  return true;
}

/// In the child, where only async-signal-safe calls are allowed.
[[noreturn]] static void becomeWorker(char *const *argv, int in, int out,
                                      int err, int report, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) // it died before the call above
    ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal = 1; signal < 32; ++signal)
    ::signal(signal, SIG_DFL);
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::dup2(report, 3);
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  ::close_range(4, ~0u, 0);
  ::execv(argv[0], argv);
  int error = errno;
  // The parent reads this where the program cannot be run.
  if (::write(3, &error, sizeof(error)) < 0)
    ::_exit(126);
  ::_exit(127);
}

Status WorkerProcess::spawn() {
  Ends input, output_, errors_, report;
  int sockets[2];
  // A socket, so that writing to a dead child is an error and no signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return Error{fmt::format("cannot start a worker: {}", strerror(errno)), ""};
  input.parent = sockets[0], input.child = sockets[1];
  if (!makePipe(output_) || !makePipe(errors_) || !makePipe(report))
    return Error{fmt::format("cannot start a worker: {}", strerror(errno)), ""};
  std::vector<std::string> words{options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  // Above the numbers they are copied to, or one copy could close another.
  for (Ends *ends : {&input, &output_, &errors_, &report}) {
    int high = ::fcntl(ends->child, F_DUPFD_CLOEXEC, 16);
    if (high < 0)
      return Error{fmt::format("cannot start a worker: {}", strerror(errno)),
                   ""};
    ends->closeChild();
    ends->child = high;
  }
  pid_t parent = ::getpid();
  pid = ::fork();
  if (pid < 0)
    return Error{fmt::format("cannot start a worker: {}", strerror(errno)), ""};
  if (pid == 0)
    becomeWorker(argv.data(), input.child, output_.child, errors_.child,
                 report.child, parent);
  ::setpgid(pid, pid); // whichever of the two comes first
  for (Ends *ends : {&input, &output_, &errors_, &report})
    ends->closeChild();
  in = input.take(), out = output_.take(), err = errors_.take();
  for (int fd : {in, out, err})
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  output.clear(), errors.clear();
  int error = 0;
  ssize_t n;
  do
    n = ::read(report.parent, &error, sizeof(error));
  while (n < 0 && errno == EINTR);
  if (n == sizeof(error)) {
    kill();
    return Error{fmt::format("cannot run the compile worker '{}': {}",
                             options.program, strerror(error)),
                 ""};
  }
  return success();
}

Status WorkerProcess::start(const std::function<bool()> &stop) {
  if (Status status = spawn(); !status)
    return status;
  WorkerReply reply =
      exchange({{"id", 0}, {"hello", 1}}, options.timeoutSeconds, stop);
  if (reply.status == WorkerReply::Status::Answered &&
      reply.body.contains("hello"))
    return success();
  kill();
  if (reply.status == WorkerReply::Status::Answered)
    reply.reason = "it answered " + dumpJson(reply.body).substr(0, 200);
  if (stop && stop())
    return Error{"cancelled", ""};
  return Error{fmt::format("'{}' is no compile worker: {}", options.program,
                           reply.reason),
               ""};
}

void WorkerProcess::closeAll() {
  for (int *fd : {&in, &out, &err}) {
    if (*fd >= 0)
      ::close(*fd);
    *fd = -1;
  }
}

void WorkerProcess::kill() {
  if (pid > 0) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL); // where the group is not made yet
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  pid = -1;
  closeAll();
}

bool WorkerProcess::drain(int fd, std::string &buffer) {
  char bytes[1 << 16];
  while (true) {
    ssize_t n = ::read(fd, bytes, sizeof(bytes));
    if (n > 0)
      buffer.append(bytes, size_t(n));
    else if (n < 0 && errno == EINTR)
      continue;
    else
      return n < 0 && errno == EAGAIN;
    // What floods must not keep us here.
    if (buffer.size() > options.maxReplyBytes)
      return true;
  }
}

bool WorkerProcess::isUsable() {
  if (!running() || !drain(out, output) || !output.empty())
    return false;
  drain(err, errors);
  errors.clear();
  return true;
}

std::string WorkerProcess::lastWords() const {
  std::string_view words = trim(errors);
  return words.empty() ? "" : fmt::format(": {}", words);
}

WorkerReply::Status WorkerProcess::transfer(std::string_view request,
                                            double deadline,
                                            const std::function<bool()> &stop) {
  while (output.find('\n') == std::string::npos) {
    if (output.size() > options.maxReplyBytes)
      return WorkerReply::Status::Malformed;
    if (stop())
      return WorkerReply::Status::Cancelled;
    double left = deadline - monotonicSeconds();
    if (left <= 0)
      return WorkerReply::Status::TimedOut;
    pollfd fds[3] = {{out, POLLIN, 0}, {err, POLLIN, 0}, {in, POLLOUT, 0}};
    int wait = std::min(kPollMilliseconds, int(left * 1000) + 1);
    if (::poll(fds, request.empty() ? 2 : 3, wait) < 0 && errno != EINTR)
      return WorkerReply::Status::Died;
    if (fds[1].revents) {
      if (!drain(err, errors)) { // closed: no reason to poll it for ever
        ::close(err);
        err = -1;
      }
      if (errors.size() > kKeptErrors)
        errors.erase(0, errors.size() - kKeptErrors);
    }
    if (fds[0].revents && !drain(out, output) &&
        output.find('\n') == std::string::npos)
      return WorkerReply::Status::Died;
    if (!request.empty() && fds[2].revents) {
      ssize_t n = ::send(in, request.data(), request.size(), MSG_NOSIGNAL);
      if (n > 0)
        request.remove_prefix(size_t(n));
      else if (n < 0 && errno != EAGAIN && errno != EINTR)
        return WorkerReply::Status::Died;
    }
  }
  return WorkerReply::Status::Answered;
}

/// "was killed by signal 6 (Aborted)", "exited with code 3".
static std::string describeEnd(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

std::string WorkerProcess::reapDead(int &signal) {
  // Give it a moment to end by itself, so that its own signal is seen and not
  // ours.
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 100 && (ended = ::waitpid(pid, &status, WNOHANG)) == 0;
       ++i)
    ::usleep(5000);
  if (err >= 0)
    drain(err, errors);
  if (ended != pid) // it lives on, or somebody else reaped it
    return ended == 0 ? "closed its output and did not end"
                      : "ended, nobody knows how";
  ::kill(-std::exchange(pid, -1), SIGKILL); // what it left of its group
  signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return describeEnd(status);
}

WorkerReply WorkerProcess::failure(WorkerReply::Status status,
                                   double limitSeconds) {
  WorkerReply reply;
  reply.status = status;
  std::string what;
  if (status == WorkerReply::Status::Died) {
    what = "the compile worker " + reapDead(reply.signal);
  } else if (status == WorkerReply::Status::TimedOut) {
    what = fmt::format("the compile worker did not answer within {:g} s",
                       limitSeconds);
  } else if (status == WorkerReply::Status::Malformed) {
    what = fmt::format("the compile worker sent {} bytes that are no reply",
                       output.size());
  } else {
    what = "cancelled";
  }
  reply.reason = what + lastWords();
  kill();
  return reply;
}

WorkerReply WorkerProcess::parse(const Json &request) {
  size_t end = output.find('\n');
  std::string line = output.substr(0, end);
  output.erase(0, end + 1);
  Expected<Json> body = parseJson(line, "reply", options.maxReplyBytes);
  WorkerReply reply;
  if (body && body->is_object() && body->contains("id") &&
      (*body)["id"] == request["id"]) {
    reply.body = std::move(*body);
    return reply;
  }
  reply.status = WorkerReply::Status::Malformed;
  reply.reason = fmt::format(
      "the compile worker answered something else than the request: {}",
      line.substr(0, 200));
  kill();
  return reply;
}

WorkerReply WorkerProcess::exchange(const Json &request, double limitSeconds,
                                    const std::function<bool()> &stop) {
  std::string line = dumpJson(request) + "\n";
  WorkerReply::Status status =
      transfer(line, monotonicSeconds() + limitSeconds, stop);
  if (status != WorkerReply::Status::Answered)
    return failure(status, limitSeconds);
  return parse(request);
}

} // namespace hwtune
