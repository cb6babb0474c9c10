// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/command_trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/file.h"
#include "core/kernel/payload.h"

namespace heddle::memory {
namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr unsigned kKindBits = 8;

const char* name_of_kind(unsigned kind) {
  static constexpr const char* kNames[] = {"load",     "store",   "atomic",   "reduction", "instruction",
                                           "constant", "texture", "prefetch", "write_back"};
  static_assert(std::size(kNames) == static_cast<unsigned>(AccessKind::write_back) + 1);
  return kNames[kind];
}

}  // namespace

std::uint32_t request_source(const RequestInfo* info) {
  if (info == nullptr) return kForeignSource;
  return static_cast<std::uint32_t>(info->kind) | std::uint32_t{info->sm.number()} << kKindBits;
}

class CommandTrace::OfChannel final : public DramCommandListener {
 public:
  OfChannel(CommandTrace& trace, unsigned number, const ChannelGeometry& geometry)
      : trace_(trace), number_(number), geometry_(geometry) {}

  void commanded(Cycle now, DramCommand command, unsigned bank, std::uint64_t row,
                 const DramRequest* request) override {
    const unsigned group = bank / geometry_.banks_per_group;
    auto out = std::back_inserter(trace_.buffer_);
    fmt::format_to(out, "{},{},{},{},{},{},{},{},", now, name_of(command), number_, group / geometry_.bank_groups,
                   group % geometry_.bank_groups, bank % geometry_.banks_per_group, row,
                   request != nullptr && is_column(command) ? request->column : 0);
    if (request == nullptr) {
      const bool closes = command == DramCommand::precharge;
      fmt::format_to(out, "{}\n", closes ? "row_policy" : "refresh");
    } else if (request->source == kForeignSource) {
      fmt::format_to(out, "foreign\n");
    } else {
      fmt::format_to(out, "sm{}.{}\n", request->source >> kKindBits,
                     name_of_kind(request->source & ((1u << kKindBits) - 1)));
    }
    if (trace_.buffer_.size() >= kBuffer) trace_.write_out();
  }

 private:
  CommandTrace& trace_;
  unsigned number_;
  ChannelGeometry geometry_;
};

CommandTrace::CommandTrace(const std::string& path) : path_(path) {
  create_folder_of(path);
  file_ = ::fdopen(open_for_writing(path), "w");
  if (file_ == nullptr) fail(ExitCode::io, "{}: cannot be written: {}", path, std::strerror(errno));
  buffer_ = "clock,command,channel,rank,bank_group,bank,row,column,source\n";
}

CommandTrace::~CommandTrace() {
  write_out();
  std::fclose(file_);
}

DramCommandListener& CommandTrace::of_channel(unsigned channel, const ChannelGeometry& geometry) {
  channels_.push_back(std::make_unique<OfChannel>(*this, channel, geometry));
  return *channels_.back();
}

void CommandTrace::write_out() {
  if (!failed_) failed_ = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size();
  buffer_.clear();
}

void CommandTrace::flush() {
  const bool before = failed_;  // errno of an earlier failure is lost
  write_out();
  if (!failed_ && std::fflush(file_) == 0) return;
  fail(ExitCode::io, "{}: could not be written completely{}", path_,
       before ? std::string() : fmt::format(": {}", std::strerror(errno)));
}

}  // namespace heddle::memory
