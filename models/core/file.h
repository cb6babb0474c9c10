// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files; messages name the file and the cause. A path given by the user may be anything: a
// folder, a device, a pipe without a writer.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle {

/// All bytes of a file, of a pipe until its writer closes it, or of a finite device. Throws Error(kIo) that says what
/// the file is or why it cannot be read. Prints a notice on standard error while waiting for a pipe.
std::string read_file(const std::filesystem::path& file);

/// Writes a file completely or not at all: to a temporary name in the same folder, then renamed. Follows links. Devices
/// and pipes are written directly, not replaced. Creates the folder. Throws Error(kIo) that names the file and the
/// cause (disk full, no permission) and leaves nothing behind.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

/// Writes a file without these guarantees, for output that a command can regenerate. Throws Error(kIo).
void write_file(const std::filesystem::path& file, std::string_view text);

/// Opens a file for incremental writing: a regular file is truncated or created, anything else is written directly.
/// Returns the descriptor. Throws Error(kIo).
int open_for_writing(const std::filesystem::path& file);

/// Creates the folder in which a file is to be written; a failure shows when the file is opened.
void create_folder_of(const std::filesystem::path& file);

/// The file that a path stands for when it is written: links followed. Throws Error(kIo) for a folder.
std::filesystem::path written_file(const std::filesystem::path& file);

/// Whether a path names an existing non-regular file or an open file of a process (/dev/stdout). Neither can be
/// replaced or seeked in.
bool is_written_through(const std::filesystem::path& file);

}  // namespace heddle
