// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with messages that name the file and the cause. Files that people name may be anything: a
// folder, a device, a pipe that nobody writes to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle {

/// All bytes of a file, of a pipe until its writer is done, or of a device that ends. Throws Error(kIo) that says what
/// the file is or why it cannot be read. Says so on standard error when it waits for a pipe.
std::string read_file(const std::filesystem::path& file);

/// Writes a file so that it is there whole or not at all: to a temporary name in the same folder, then renamed; of a
/// link, what it leads to. Devices and pipes are written through and stay what they are. Creates the folder. Throws
/// Error(kIo) that names the file and the cause (disk full, no permission); nothing is left behind then.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

/// Writes a file without the promises above: for what a command makes anew when it is asked again. Throws Error(kIo).
void write_file(const std::filesystem::path& file, std::string_view text);

/// Opens a file that grows: a regular one is emptied or created, what is none is written through. Returns the
/// descriptor. Throws Error(kIo).
int open_for_writing(const std::filesystem::path& file);

/// Whether a name leads to something that is there and no regular file, or to an open file of a process (/dev/stdout):
/// neither can be replaced or gone back in.
bool is_written_through(const std::filesystem::path& file);

}  // namespace heddle
