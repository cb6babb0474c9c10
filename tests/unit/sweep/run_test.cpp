// SPDX-License-Identifier: Apache-2.0
// One run: folder, lock, end; and the summary of many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "sweep/attempt.h"
#include "sweep/progress.h"
#include "sweep/run_folder.h"
#include "sweep/run_process.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    results = fs::path(::testing::TempDir()) / ("folder-" + std::to_string(::getpid()));
    fs::create_directories(run.path());
  }
  void TearDown() override { fs::remove_all(results); }
  void write(const std::string& name, const std::string& text) { std::ofstream(run.path() / name) << text; }
  RunFolder make() {
    results = fs::path(::testing::TempDir()) / ("folder-" + std::to_string(::getpid()));
    return RunFolder(results, "0123");
  }
  fs::path results;
  RunFolder run = make();
};

TEST_F(Folder, AStatusReadsBackAsItWasWritten) {
  write("run.json", "{}");
  run.write_status({RunState::finished, 0, 0, "", 1.5, 1.25, 4096, 2});
  const RunStatus status = run.status();
  EXPECT_EQ(status.state, RunState::finished);
  EXPECT_EQ(status.wall_seconds, 1.5);
  EXPECT_EQ(status.peak_memory_bytes, 4096u);
  EXPECT_EQ(status.attempts, 2u);
  run.write_status({RunState::failed, 0, 9, "ended by signal 9", 1, 1, 1, 1});
  EXPECT_EQ(run.status().signal, 9);
  EXPECT_EQ(run.status().reason, "ended by signal 9");
}

TEST_F(Folder, WithoutAWholeStatusOfItsOwnARunHasNotEnded) {
  EXPECT_EQ(run.status().state, RunState::none);
  write("run.json", "{}");
  EXPECT_EQ(run.status().state, RunState::none);  // results alone may come from a stopped run
  run.write_status({RunState::finished, 0, 0, "", 1, 1, 1, 1});
  EXPECT_EQ(run.status().state, RunState::finished);
  EXPECT_EQ(RunFolder(results, "4567").status().state, RunState::none);
  fs::remove(run.path() / "run.json");
  EXPECT_EQ(run.status().state, RunState::none);
  write("run.json", "{}");
  fs::resize_file(run.path() / "status.json", 20);
  EXPECT_EQ(run.status().state, RunState::none);
  fs::create_directories(results / "runs" / "4567");
  run.write_status({RunState::finished, 0, 0, "", 1, 1, 1, 1});
  fs::copy(run.path() / "status.json", results / "runs" / "4567" / "status.json");
  std::ofstream(results / "runs" / "4567" / "run.json") << "{}";
  EXPECT_EQ(RunFolder(results, "4567").status().state, RunState::none);  // copied from another run
}

TEST_F(Folder, AResultThatIsNotWhatTheRunLeftCountsAsNone) {
  const std::string whole = R"({"schema_version": 1, "statistics": {}})";
  const auto finish = [&] {
    fs::remove_all(run.path() / "run.json");
    write("run.json", whole);
    run.write_status({RunState::finished, 0, 0, "", 1, 1, 1, 1});
    EXPECT_EQ(run.status().state, RunState::finished);
  };
  for (const std::string& spoilt :
       {std::string(), whole.substr(0, 20), std::string(whole.size(), '\0'), whole + " ", std::string("{}")}) {
    finish();
    write("run.json", spoilt);
    EXPECT_EQ(run.status().state, RunState::none) << spoilt;
    EXPECT_THAT(run.status().reason, HasSubstr("run.json")) << spoilt;
  }
  finish();
  fs::remove(run.path() / "run.json");
  fs::create_directory(run.path() / "run.json");
  EXPECT_EQ(run.status().state, RunState::none);
}

TEST_F(Folder, WithoutADigestTheResultItselfIsLookedAt) {
  write("run.json", R"({"schema_version": 1})");
  const std::string status = R"({"schema_version": 1, "key": "0123", "state": "finished", "exit_status": 0})";
  write("status.json", status);
  EXPECT_EQ(run.status().state, RunState::finished);
  write("run.json", R"({"schema_version": 1)");
  EXPECT_EQ(run.status().state, RunState::none);
  EXPECT_THAT(run.status().reason, HasSubstr("malformed JSON"));
}

TEST_F(Folder, OneHasTheLockAndItIsFreeAgainAfterwards) {
  {
    const FolderLock mine = run.try_lock();
    EXPECT_TRUE(mine.held());
    EXPECT_FALSE(run.try_lock().held());
  }
  EXPECT_TRUE(run.try_lock().held());
}

TEST_F(Folder, ClearingLeavesTheLockAlone) {
  const FolderLock mine = run.try_lock();
  write("run.json", "{}");
  fs::create_directories(run.path() / "files" / "deep");
  run.clear();
  EXPECT_FALSE(fs::exists(run.path() / "run.json"));
  EXPECT_FALSE(fs::exists(run.path() / "files"));
  EXPECT_FALSE(run.try_lock().held());
}

TEST_F(Folder, TheLastErrorsAreTheLastLinesWithText) {
  write("stderr.txt", std::string(100000, 'x') + "\none\n\ntwo\n \nthree\n");
  EXPECT_THAT(run.last_errors(2), ElementsAre("two", "three"));
  EXPECT_TRUE(RunFolder(results, "none").last_errors(2).empty());
}

std::optional<ProcessEnd> end_of(RunProcess& process, int milliseconds = 10000) {
  for (int waited = 0; waited < milliseconds; waited += 10) {
    process.enforce(RunProcess::Clock::now());
    if (auto end = process.poll()) return end;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

ProcessRequest request_of(const fs::path& folder, const std::string& script) {
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", script};
  request.folder = folder;
  request.out = folder / "stdout.txt";
  request.err = folder / "stderr.txt";
  return request;
}

TEST_F(Folder, AProcessRunsInItsFolderWithoutWhatItShallNotSee) {
  ::setenv("HEDDLE_TEST_SEEN", "1", 1);
  ProcessRequest request = request_of(run.path(), "pwd; echo \"[$HEDDLE_TEST_SEEN]\"; cat; exit 7");
  request.unset = {"HEDDLE_TEST_SEEN"};
  RunProcess process(request);
  const auto end = end_of(process);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_status, 7);
  EXPECT_GT(end->peak_memory_bytes, 0u);
  std::ifstream in(run.path() / "stdout.txt");
  std::string folder, variable;
  std::getline(in, folder);
  std::getline(in, variable);
  EXPECT_EQ(fs::path(folder), fs::canonical(run.path()));
  EXPECT_EQ(variable, "[]");
}

TEST_F(Folder, AtItsLimitAProcessAndItsChildrenAreEnded) {
  ProcessRequest request = request_of(run.path(), "sleep 100 & echo $! >child; wait");
  request.limit = std::chrono::milliseconds(300);
  RunProcess process(request);
  const auto end = end_of(process);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->timed_out);
  EXPECT_EQ(end->signal, SIGTERM);
  EXPECT_LT(end->wall_seconds, 4);
  pid_t child = 0;
  std::ifstream(run.path() / "child") >> child;
  ASSERT_GT(child, 0);
  // Gone, or dead and not yet waited for by its new parent.
  std::string state;
  for (int i = 0; i < 500; ++i) {
    state.clear();
    std::ifstream in("/proc/" + std::to_string(child) + "/stat");
    std::getline(in, state);
    if (state.empty() || state.find(") Z") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << state;
}

TEST_F(Folder, ARunHoldsTheLockThatItInherits) {
  std::optional<FolderLock> lock(run.try_lock());
  ProcessRequest request = request_of(run.path(), "touch there; read -r line < fifo");
  request.inherited = lock->descriptor();
  ASSERT_EQ(::system(("mkfifo " + (run.path() / "fifo").string()).c_str()), 0);
  RunProcess process(request);
  // Until it is the other program, it has all that its parent has open.
  for (int i = 0; i < 1000 && !fs::exists(run.path() / "there"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  lock.reset();
  EXPECT_FALSE(run.try_lock().held());
  process.kill();
  ASSERT_TRUE(end_of(process));
  EXPECT_TRUE(run.try_lock().held());
}

TEST(Judge, SaysHowARunEnded) {
  const auto state = [](ProcessEnd end, std::vector<std::string> options, bool results) {
    return judge(end, options, results ? "" : "it left no run.json", 2);
  };
  EXPECT_EQ(state({}, {}, true).state, RunState::finished);
  EXPECT_THAT(state({}, {}, false).reason, HasSubstr("no run.json"));
  EXPECT_EQ(state({}, {}, false).state, RunState::failed);
  EXPECT_EQ(state({.exit_status = 3}, {}, true).reason, "exit status 3");
  EXPECT_THAT(state({.signal = SIGKILL}, {}, true).reason, HasSubstr("signal 9"));
  EXPECT_THAT(state({.exit_status = 130, .timed_out = true}, {}, true).reason,
              HasSubstr("stopped after its time limit of 2 minutes"));
  // A limit is an end that was asked for, or a failure.
  EXPECT_EQ(state({.exit_status = 105}, {"--max-cycles", "5"}, true).state, RunState::limit);
  EXPECT_EQ(state({.exit_status = 105}, {"--max-cycles=5"}, false).state, RunState::failed);
  EXPECT_EQ(state({.exit_status = 105}, {}, true).state, RunState::failed);
}

TEST(WithFolder, ReplacesEveryPlace) {
  EXPECT_EQ(with_folder("--vcd={folder}/a:{folder}", "/x"), "--vcd=/x/a:/x");
  EXPECT_EQ(with_folder("{folde}", "/x"), "{folde}");
}

TEST(Progress, SaysCountsAndAnEstimate) {
  Counts counts{.total = 100, .finished = 20, .failed = 1, .running = 2, .elsewhere = 0, .ended_here = 10};
  EXPECT_EQ(progress_text(counts, 20), "20/100 done, 1 failed, 2 running, 77 left, about 2 min 38 s");
  counts.ended_here = 0;
  counts.elsewhere = 3;
  EXPECT_EQ(progress_text(counts, 20), "20/100 done, 1 failed, 2 running, 3 in another sweep, 74 left");
}

}  // namespace
}  // namespace heddle::sweep
