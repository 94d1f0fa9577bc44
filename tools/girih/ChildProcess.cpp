//===- ChildProcess.cpp - work that may die -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/ChildProcess.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

static std::string readAll(int file) {
  std::string text;
  char bytes[4096];
  for (ssize_t count; (count = read(file, bytes, sizeof(bytes))) > 0;)
    text.append(bytes, size_t(count));
  return text;
}

static void writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count <= 0)
      return;
    text = text.drop_front(size_t(count));
  }
}

/// The first error of a report, without its code's decoration.
static std::string firstError(llvm::StringRef report) {
  llvm::StringRef rest = report;
  while (!rest.empty()) {
    auto [line, more] = rest.split('\n');
    rest = more;
    size_t at = line.find("error[");
    if (at != llvm::StringRef::npos)
      return line.substr(at).split("]: ").second.trim().str();
  }
  return report.split('\n').first.trim().str();
}

[[noreturn]] static void
beChild(const std::function<std::optional<js::Object>(Console &)> &work,
        int result, int report) {
  // Ctrl-C reaches the whole group; the parent decides what becomes of it.
  signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(report, STDERR_FILENO);
  Console console;
  std::optional<js::Object> given = work(console);
  int code = console.finish();
  std::fflush(stderr);
  if (given && code == 0) {
    std::string text;
    llvm::raw_string_ostream(text) << js::Value(std::move(*given));
    writeAll(result, text);
  }
  _exit(code);
}

ChildResult
cli::runInChild(const std::function<std::optional<js::Object>(Console &)> &work,
                double seconds, const std::function<bool()> &stop) {
  ChildResult ended;
  int ends[2];
  int report = memfd_create("girih", MFD_CLOEXEC);
  if (report < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    ended.why = std::string("no child process: ") + std::strerror(errno);
    return ended;
  }
  std::fflush(stdout);
  std::fflush(stderr);
  pid_t child = fork();
  if (child == 0)
    beChild(work, ends[1], report);
  close(ends[1]);
  if (child < 0) {
    ended.why = std::string("no child process: ") + std::strerror(errno);
    close(ends[0]);
    close(report);
    return ended;
  }
  // Its end of the pipe closes with it.
  std::string result;
  auto begin = std::chrono::steady_clock::now();
  bool isLate = false;
  while (true) {
    pollfd wait{ends[0], POLLIN, 0};
    int ready = poll(&wait, 1, 50);
    if (ready > 0) {
      char bytes[4096];
      ssize_t count = read(ends[0], bytes, sizeof(bytes));
      if (count <= 0)
        break;
      result.append(bytes, size_t(count));
      continue;
    }
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    isLate = spent.count() > seconds;
    ended.isInterrupted = stop && stop();
    if (isLate || ended.isInterrupted) {
      kill(child, SIGKILL);
      break;
    }
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  lseek(report, 0, SEEK_SET);
  std::string said = readAll(report);
  close(report);
  if (ended.isInterrupted) {
    ended.why = "interrupted";
  } else if (isLate) {
    ended.why = "its time was up";
  } else if (WIFSIGNALED(status)) {
    ended.why = std::string("ended by signal ") +
                std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + ")";
  } else if (WEXITSTATUS(status) != 0 || result.empty()) {
    ended.why = said.empty() ? "ended with exit code " +
                                   std::to_string(WEXITSTATUS(status))
                             : firstError(said);
  } else {
    llvm::Expected<js::Value> value = js::parse(result);
    if (value && value->getAsObject())
      ended.given = std::move(*value->getAsObject());
    else
      ended.why = "its answer cannot be read";
    if (!value)
      llvm::consumeError(value.takeError());
  }
  return ended;
}
