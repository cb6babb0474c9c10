// SPDX-License-Identifier: Apache-2.0
// The files that a command is about to write. Whoever works for minutes wants to know before, not after, that a result
// has no place to go or would replace another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

/// Refuses outputs that cannot be written, and those that exist unless they may be replaced. Devices and pipes are
/// always accepted. Leaves nothing behind.
class OutputCheck {
 public:
  /// replace: files may be replaced. option: how the user allows that, for messages.
  explicit OutputCheck(bool replace, std::string option = "--force") : replace_(replace), option_(std::move(option)) {}

  /// Throws Error(kIo) that names the file and the reason. An empty path is no output.
  void file(const std::filesystem::path& file) const;
  /// Likewise for a folder of results, in which these files are written. Others may be there.
  void folder(const std::filesystem::path& folder, const std::vector<std::string>& files) const;

 private:
  bool replace_;
  std::string option_;
};

/// A path, or the first of "a-2.vcd", "a-3.vcd", ... that does not exist.
std::filesystem::path unused_path(const std::filesystem::path& path);

/// A file, or a folder with several files, that was written.
struct WrittenFile {
  std::filesystem::path path;
  std::string what;  ///< "waveform"
};

/// "wrote a.vcd (waveform), a.gtkw (view for GTKWave)"
std::string written_text(const std::vector<WrittenFile>& files);

}  // namespace heddle
