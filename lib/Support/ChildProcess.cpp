//===- ChildProcess.cpp ---------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/ChildProcess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;

namespace {

using Clock = std::chrono::steady_clock;

/// Longest sleep: how late a cancelled token or an exit with pipes held open
/// by a grandchild is noticed.
constexpr int kSliceMs = 20;
constexpr int kExecFailed = 127;

/// A descriptor that closes itself.
class Fd {
public:
  Fd() = default;
  explicit Fd(int fd) : fd(fd) {}
  Fd(const Fd &) = delete;
  Fd &operator=(const Fd &) = delete;
  ~Fd() { reset(); }
  void reset(int other = -1) {
    if (fd >= 0)
      close(fd);
    fd = other;
  }
  int get() const { return fd; }
  bool open() const { return fd >= 0; }

private:
  int fd = -1;
};

struct Pipe {
  Fd read, write;
  bool make() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
      return false;
    read.reset(fds[0]);
    write.reset(fds[1]);
    return true;
  }
};

/// In the child, between fork and exec: async-signal-safe calls only, since
/// other threads of the parent may have held any lock.
[[noreturn]] void becomeCommand(char *const *argv, pid_t parent, int inFd,
                                int outFd, int errFd, int failFd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before the call above
    _exit(kExecFailed);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // Handlers are reset by exec, ignored signals and the mask are not.
  signal(SIGPIPE, SIG_DFL);
  sigset_t empty;
  sigemptyset(&empty);
  sigprocmask(SIG_SETMASK, &empty, nullptr);
  dup2(inFd, STDIN_FILENO);
  dup2(outFd, STDOUT_FILENO);
  dup2(errFd, STDERR_FILENO);
  execvp(argv[0], argv);
  int why = errno;
  // Nothing can be done if this fails: the parent sees the exit code.
  [[maybe_unused]] ssize_t n = write(failFd, &why, sizeof why);
  _exit(kExecFailed);
}

/// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string &text, bool &cut, size_t most) {
  char buffer[1 << 16];
  ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0)
    return errno == EINTR || errno == EAGAIN;
  if (n == 0)
    return false;
  size_t keep = std::min(static_cast<size_t>(n), most - text.size());
  text.append(buffer, keep);
  cut |= keep < static_cast<size_t>(n);
  return true;
}

enum class ChildState { Running, Ended, Lost };

/// Ended: it stays to be reaped, so that its process group id cannot be reused
/// meanwhile. Lost: where SIGCHLD is ignored, which is inherited, the kernel
/// reaps it and nobody learns how it ended.
ChildState stateOf(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info,
             WEXITED | WNOWAIT | WNOHANG) != 0)
    return errno == ECHILD ? ChildState::Lost : ChildState::Running;
  return info.si_pid == pid ? ChildState::Ended : ChildState::Running;
}

void setNonBlocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/// A file in memory that holds `text`, to be read from its start. False, with
/// `errno`, where there is no room for it.
bool holdInMemory(const std::string &text, Fd &file) {
  file.reset(memfd_create("input", MFD_CLOEXEC));
  for (size_t done = 0; file.open() && done < text.size();) {
    ssize_t n = write(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      return false;
    done += size_t(std::max<ssize_t>(n, 0));
  }
  return file.open() && lseek(file.get(), 0, SEEK_SET) == 0;
}

class Supervisor {
public:
  Supervisor(const ChildCommand &command, ChildOutcome &outcome)
      : command(command), outcome(outcome), start(Clock::now()) {}

  bool spawn();
  void supervise();

private:
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool mustDie();
  void wait(int ms);
  void readAll();
  void reap();

  const ChildCommand &command;
  ChildOutcome &outcome;
  Clock::time_point start;
  Pipe out, err;
  pid_t pid = -1;
  bool killed = false;
};

bool Supervisor::spawn() {
  auto failed = [&](int why) {
    outcome.why = fmt::format("cannot start `{}`: {}",
                              command.argv.empty() ? "" : command.argv[0],
                              std::strerror(why));
    return false;
  };
  if (command.argv.empty())
    return failed(EINVAL);
  std::vector<char *> argv;
  for (const std::string &arg : command.argv)
    argv.push_back(const_cast<char *>(arg.c_str()));
  argv.push_back(nullptr);
  Pipe fail;
  Fd in;
  if (!holdInMemory(command.input, in) || !out.make() || !err.make() ||
      !fail.make())
    return failed(errno);
  pid_t parent = getpid();
  pid = fork();
  if (pid < 0)
    return failed(errno);
  if (pid == 0)
    becomeCommand(argv.data(), parent, in.get(), out.write.get(),
                  err.write.get(), fail.write.get());
  // Also here: whoever comes first. Fails harmlessly after the exec.
  setpgid(pid, pid);
  out.write.reset();
  err.write.reset();
  fail.write.reset();
  int why = 0;
  ssize_t n;
  do
    n = read(fail.read.get(), &why, sizeof why);
  while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(sizeof why)) {
    waitpid(pid, nullptr, 0);
    return failed(why);
  }
  setNonBlocking(out.read.get());
  setNonBlocking(err.read.get());
  return true;
}

bool Supervisor::mustDie() {
  if (command.cancel.cancelled()) {
    outcome.kind = ChildOutcome::Kind::Cancelled;
    return true;
  }
  if (command.limitSeconds > 0 && elapsed() >= command.limitSeconds) {
    outcome.kind = ChildOutcome::Kind::TimedOut;
    return true;
  }
  return false;
}

void Supervisor::wait(int ms) {
  pollfd fds[2];
  nfds_t count = 0;
  for (Pipe *p : {&out, &err})
    if (p->read.open())
      fds[count++] = {p->read.get(), POLLIN, 0};
  poll(fds, count, ms);
}

void Supervisor::readAll() {
  if (out.read.open() && !drain(out.read.get(), outcome.out, outcome.outCut,
                                command.maxOutputBytes))
    out.read.reset();
  if (err.read.open() && !drain(err.read.get(), outcome.err, outcome.errCut,
                                command.maxOutputBytes))
    err.read.reset();
}

void Supervisor::supervise() {
  ChildState state;
  while ((state = stateOf(pid)) == ChildState::Running) {
    if (!killed && mustDie()) {
      kill(-pid, SIGKILL);
      killed = true;
    }
    bool piped = out.read.open() || err.read.open();
    double left = command.limitSeconds > 0
                      ? (command.limitSeconds - elapsed()) * 1000
                      : kSliceMs;
    // Both streams closed: the end is near, or the child hides; look often.
    int slice = piped && !killed ? kSliceMs : 1;
    wait(std::clamp(static_cast<int>(left) + 1, 1, slice));
    readAll();
  }
  if (state == ChildState::Ended)
    return reap();
  outcome.kind = ChildOutcome::Kind::NotStarted;
  outcome.why = fmt::format("how `{}` ended is lost: this process ignores "
                            "SIGCHLD, which must have its default",
                            command.argv[0]);
}

void Supervisor::reap() {
  // Before the child is reaped: its id still names the group.
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  // What it wrote last is still in the pipes. A survivor outside the group
  // cannot hold this up: the read does not block.
  for (bool more = true; more;) {
    size_t before = outcome.out.size() + outcome.err.size();
    readAll();
    more = outcome.out.size() + outcome.err.size() > before;
  }
  outcome.seconds = elapsed();
  if (killed)
    return;
  outcome.kind = WIFSIGNALED(status) ? ChildOutcome::Kind::Signalled
                                     : ChildOutcome::Kind::Exited;
  outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

ChildOutcome hwtune::runChild(const ChildCommand &command) {
  ChildOutcome outcome;
  Supervisor supervisor(command, outcome);
  if (supervisor.spawn())
    supervisor.supervise();
  return outcome;
}

std::string ChildOutcome::describe() const {
  switch (kind) {
  case Kind::Exited:
    return fmt::format("exited with code {}", code);
  case Kind::Signalled:
    return fmt::format("killed by signal {} ({})", code, strsignal(code));
  case Kind::TimedOut:
    return fmt::format("killed after {:.1f} s", seconds);
  case Kind::Cancelled:
    return fmt::format("cancelled after {:.1f} s", seconds);
  case Kind::NotStarted:
    break;
  }
  return why;
}
