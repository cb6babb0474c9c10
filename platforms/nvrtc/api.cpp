// SPDX-License-Identifier: Apache-2.0
// NVRTC: writes the program text to a file and compiles it to PTX with `heddle cc` in a child process, whose output is
// the log. There is no machine code: a cubin has size 0.
#include <dlfcn.h>
#include <fmt/core.h>
#include <nvrtc.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

struct _nvrtcProgram {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  ///< name in #include, text
  std::vector<std::string> expressions;
  bool compiled = false;
  std::string ptx, log;
  std::map<std::string, std::string> lowered;  ///< by expression
};

namespace {

constexpr int kMajor = 11, kMinor = 8;
/// Architectures `heddle cc` accepts.
constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75};
/// Variables initialised with the addresses of name expressions; only their initialisers are read.
constexpr const char* kNameVariable = "heddle_nvrtc_name_";
/// NVRTC options without meaning for `heddle cc`.
constexpr std::string_view kLeftOut[] = {"-pch", "--pch", "-builtin-initializer-list=true",
                                         "--builtin-move-forward=true"};
/// Functions without an execution space belong to the device. The compiler makes them host-device, but only the device
/// side is built here.
constexpr std::string_view kDefaultDevice[] = {"-default-device", "--device-as-default-execution-space"};

template <typename List>
bool among(const List& list, std::string_view option) {
  return std::find(std::begin(list), std::end(list), option) != std::end(list);
}

/// A folder that is removed with the object.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "heddle-nvrtc-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream out(file, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The `heddle` command for this library: next to the library's folder in a build tree, one level up in an
/// installation.
std::string command() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&nvrtcVersion), &here) == 0) return {};
  std::error_code error;
  const fs::path library = fs::canonical(here.dli_fname, error).parent_path();
  for (const fs::path& home : {library.parent_path(), library.parent_path().parent_path()}) {
    if (fs::exists(home / "bin" / "heddle", error)) return (home / "bin" / "heddle").string();
  }
  return {};
}

/// Runs a command with both output streams redirected to a file. Returns its exit status, or -1 when it could not be
/// started.
int run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const std::string file = log.string();
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (std::freopen(file.c_str(), "w", stderr) == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(127);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Removes the variables of name expressions from the PTX and stores the names they referred to.
void take_names(_nvrtcProgram& program) {
  const std::regex line("[^\\n]*" + std::string(kNameVariable) + "([0-9]+) = (?:generic\\()?([^\\s;)]+)[^\\n]*\\n");
  std::smatch match;
  while (std::regex_search(program.ptx, match, line)) {
    program.lowered[program.expressions[std::stoul(match[1])]] = match[2];
    program.ptx = match.prefix().str() + match.suffix().str();
  }
}

nvrtcResult give(const std::string& text, char* to) {
  if (to == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult size_of(const std::string& text, std::size_t* size) {
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = text.size() + 1;
  return NVRTC_SUCCESS;
}

}  // namespace

const char* nvrtcGetErrorString(nvrtcResult result) {
  static constexpr const char* kNames[] = {"NVRTC_SUCCESS",
                                           "NVRTC_ERROR_OUT_OF_MEMORY",
                                           "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                           "NVRTC_ERROR_INVALID_INPUT",
                                           "NVRTC_ERROR_INVALID_PROGRAM",
                                           "NVRTC_ERROR_INVALID_OPTION",
                                           "NVRTC_ERROR_COMPILATION",
                                           "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                           "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                           "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                           "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                           "NVRTC_ERROR_INTERNAL_ERROR"};
  const auto number = static_cast<std::size_t>(result);
  return number < std::size(kNames) ? kNames[number] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = kMajor;
  *minor = kMinor;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(std::size(kArchitectures));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  if (program == nullptr || source == nullptr || count < 0) return NVRTC_ERROR_INVALID_INPUT;
  if (count > 0 && (headers == nullptr || names == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  auto* created = new _nvrtcProgram;
  created->source = source;
  created->name = name != nullptr && *name != '\0' ? fs::path(name).filename().string() : "default_program";
  for (int i = 0; i < count; ++i) created->headers.emplace_back(names[i], headers[i]);
  *program = created;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr || *program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (program->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  program->compiled = true;
  program->ptx.clear();
  program->lowered.clear();
  const Folder folder;
  const std::string compiler = command();
  if (compiler.empty() || folder.path().empty()) {
    program->log = compiler.empty() ? "the command `heddle` was not found next to this library" : "no temporary folder";
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
  const bool device = std::any_of(options, options + count, [](const char* o) { return among(kDefaultDevice, o); });
  std::string text =
      fmt::format("{}#line 1 \"{}\"\n{}\n{}", device ? "#pragma clang force_cuda_host_device begin\n" : "",
                  program->name, program->source, device ? "#pragma clang force_cuda_host_device end\n" : "");
  for (std::size_t i = 0; i < program->expressions.size(); ++i) {
    std::string_view expression = program->expressions[i];
    if (expression.starts_with('&')) expression.remove_prefix(1);
    text += fmt::format("#line 1 \"name expression {}\"\n__device__ const void* {}{} = (const void*)(&{});\n", i,
                        kNameVariable, i, expression);
  }
  bool written = write(folder.path() / "source.cu", text);
  for (const auto& [name, header] : program->headers)
    written = write(folder.path() / "include" / name, header) && written;
  if (!written) return NVRTC_ERROR_INTERNAL_ERROR;
  const fs::path ptx = folder.path() / "out.ptx", log = folder.path() / "log";
  std::vector<std::string> words = {compiler, "cc", "-ptx", (folder.path() / "source.cu").string(), "-o", ptx.string()};
  words.push_back("-I" + (folder.path() / "include").string());
  for (int i = 0; i < count; ++i) {
    if (!among(kLeftOut, options[i]) && !among(kDefaultDevice, options[i])) words.emplace_back(options[i]);
  }
  const int status = run(words, log);
  program->log = read(log);
  if (status != 0) {
    const bool option = program->log.find("Unknown option") != std::string::npos;
    return status < 0 ? NVRTC_ERROR_INTERNAL_ERROR : option ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
  }
  program->ptx = read(ptx);
  take_names(*program);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
  if (program == nullptr || program->ptx.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  return size_of(program->ptx, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  if (program == nullptr || program->ptx.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  return give(program->ptx, ptx);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char*) {
  return program == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  return program == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : size_of(program->log, size);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return program == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : give(program->log, log);
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr || name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!program->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = program->lowered.find(expression);
  if (found == program->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}
