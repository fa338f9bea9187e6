//===- FakeWorker.cpp - a worker that misbehaves on request ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Speaks the worker protocol and does what the field "do" says. A request with
// a module is "compiled" to a file that holds its configuration; called with
// --device= it takes the place of `hwtune-run` on such a file.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Json.h"
#include "hwtune/Tuner/CompileProtocol.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <unistd.h>

using hwtune::Json;

static void say(const Json &reply) {
  std::cout << hwtune::dumpJson(reply) << std::endl;
}

[[noreturn]] static void hang() {
  while (true)
    ::pause();
}

static void act(const std::string &what, const Json &request) {
  Json reply = {{"id", request["id"]}, {"pid", ::getpid()}};
  if (what == "crash") {
    std::cerr << "LLVM ERROR: cannot select: something" << std::endl;
    std::abort();
  } else if (what == "killed once") { // the first time; "text" names a file
    std::string mark = request["text"];
    if (::access(mark.c_str(), F_OK) != 0) {
      if (!hwtune::writeFileAtomically(mark, ""))
        std::exit(4);
      ::kill(::getpid(), SIGKILL);
    }
  } else if (what == "killed") {
    ::kill(::getpid(), SIGKILL);
  } else if (what == "mute") { // lives on without its output
    ::close(1);
    hang();
  } else if (what == "exit") {
    std::exit(3);
  } else if (what == "hang") {
    hang();
  } else if (what == "flood") {
    while (true)
      std::cout << std::string(65536, 'x');
  } else if (what == "lie") {
    reply["id"] = 123456;
  } else if (what == "garbage") {
    std::cout << "Segmentation fault (no, just kidding)" << std::endl;
    return;
  } else if (what == "chatter") { // more than a pipe holds, before the reply
    for (int i = 0; i < 3000; ++i)
      std::cerr << std::string(100, 'e') << "\n";
  } else if (what == "twice") {
    say(reply);
  } else if (what == "child") { // that outlives its parent
    pid_t child = ::fork();
    if (child == 0)
      hang();
    reply["child"] = child;
  } else if (what == "echo") {
    reply["echo"] = request["text"];
  } else if (what == "slow") {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  say(reply);
}

/// The module's text chooses the fault.
static void compile(const Json &json) {
  hwtune::Expected<hwtune::CompileRequest> request =
      hwtune::CompileRequest::fromJson(json);
  hwtune::CompileReply reply;
  reply.id = json["id"].get<int64_t>();
  if (!request) {
    reply.diagnostics = request.error().message;
    return say(reply.toJson());
  }
  if (request->config.find("block = 3}") != std::string::npos)
    std::abort();
  if (request->config.find("block = 5}") != std::string::npos) {
    reply.diagnostics = "error: cannot tile";
    return say(reply.toJson());
  }
  reply.ok = true;
  reply.launchFile = request->folder + "/launch.json";
  reply.ptxHash = request->config;
  reply.block = {128, 1, 1};
  reply.registers = 64;
  reply.registerBasis = "estimate";
  std::string text = request->module + " " + request->config +
                     (request->expected ? " expected" : "");
  if (!hwtune::writeFileAtomically(reply.launchFile, text))
    reply.ok = false;
  say(reply.toJson());
}

static int run(const std::string &file, bool check) {
  hwtune::Expected<std::string> text = hwtune::readFile(file);
  hwtune::RunOutcome outcome;
  outcome.label = "simulated";
  auto has = [&](const char *part) {
    return text && text->find(part) != std::string::npos;
  };
  int block = 0;
  if (size_t at = text ? text->find("block = ") : std::string::npos;
      at != std::string::npos)
    block = std::atoi(text->c_str() + at + 8);
  if (check) {
    outcome.verify = hwtune::VerifyRecord{100, 0, 1e-3, 1e-6, true};
    if (has("unrunnable"))
      outcome = hwtune::RunOutcome::failure(hwtune::RunStatus::RunTimeout,
                                            "it did not end");
    // Wrong only at a tail.
    if (has("tail") && block == 8)
      outcome = hwtune::RunOutcome::failure(hwtune::RunStatus::Wrong,
                                            "element 7 differs");
  } else {
    hwtune::TimingRecord timing;
    timing.median = timing.q20 = timing.q80 = 1.0 / block;
    timing.seconds = {timing.median};
    timing.cache = "cold";
    outcome.timing = timing;
  }
  std::cout << outcome.toJson() << std::endl;
  return outcome.ok() ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc > 2 && std::string(argv[1]).rfind("--device=", 0) == 0) {
    bool check = false;
    for (int i = 2; i < argc; ++i)
      check |= std::string(argv[i]) == "--check-only";
    return run(argv[argc - 1], check);
  }
  std::string mode = argc > 1 ? argv[1] : "";
  std::string line;
  while (std::getline(std::cin, line)) {
    Json request = Json::parse(line);
    if (request.contains("hello")) {
      if (mode == "--silent")
        hang();
      if (mode == "--rude")
        say({{"id", 0}});
      else if (mode == "--dies")
        return 7;
      else
        say({{"id", 0}, {"hello", 1}});
      continue;
    }
    if (request.contains("module"))
      compile(request);
    else
      act(request.value("do", ""), request);
  }
  return 0;
}
