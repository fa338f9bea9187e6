//===- FakeWorker.cpp - a worker that misbehaves on request ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Speaks the worker protocol and does what the field "do" says.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Json.h"

#include <chrono>
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

int main(int argc, char **argv) {
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
    act(request.value("do", ""), request);
  }
  return 0;
}
