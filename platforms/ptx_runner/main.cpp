// SPDX-License-Identifier: Apache-2.0
// run-ptx FILE KERNEL GRID BLOCK SHARED_BYTES [--save PARAMETER=FILE] [--print PARAMETER[=COUNT]] -- ARGUMENTS `heddle
// run --ptx` writes this command line (cli/run.cpp). KERNEL may be empty if the file has only one.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "core/output_files.h"
#include "cuda_runtime_api.h"
#include "isa/module.h"
#include "ptx_runner/kernel_arguments.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int limit, void* thread,
                            void* block_index, void* block, void* grid, int* warp);
}

namespace heddle::ptx_runner {
namespace {

constexpr std::size_t kShown = 8;  // elements shown of a changed buffer by default

/// Layout defined by the compilers (runtime/fat_binary.h).
struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* members = nullptr;
};

/// Ends the program on failure; the runtime has already reported the cause.
void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(ExitCode::launch, "{}: {}", what, cudaGetErrorString(status));
}

std::string names_of(const isa::Module& module) {
  std::string out;
  for (const auto& kernel : module.kernels()) out += (out.empty() ? "" : ", ") + kernel.name;
  return out.empty() ? "none" : out;
}

const isa::KernelSignature& choose_kernel(const isa::Module& module, const std::string& name) {
  if (name.empty() && module.kernels().size() == 1) return module.kernels()[0];
  if (name.empty())
    fail(ExitCode::usage, "{}: name one of its kernels with --kernel: {}", module.name(), names_of(module));
  const isa::KernelSignature* kernel = module.find_kernel(name);
  if (kernel == nullptr)
    fail(ExitCode::usage, "{}: there is no kernel '{}'; it has: {}", module.name(), name, names_of(module));
  return *kernel;
}

std::size_t parameter_of(const isa::KernelSignature& kernel, const std::string& text, const char* option) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].name == text || std::to_string(i) == text) return i;
  }
  fail(ExitCode::usage, "{} {}: kernel '{}' has no such parameter; use its name or its number, starting at 0", option,
       text, kernel.name);
}

std::string signature_text(const isa::KernelSignature& kernel) {
  std::string out;
  for (const isa::Parameter& parameter : kernel.parameters) {
    out += fmt::format("{}.{} {}", out.empty() ? "" : ", ", isa::name_of(parameter.type), parameter.name);
    if (parameter.size != isa::size_of(parameter.type)) out += fmt::format("[{}]", parameter.size);
  }
  return out.empty() ? "none" : out;
}

class Run {
 public:
  Run(std::string text, const std::vector<std::string>& words) : text_(std::move(text)) {
    module_ = isa::Module::parse(text_, words[0]);
    kernel_ = &choose_kernel(*module_, words[1]);
    grid_ = read_extents(words[2], "--grid");
    block_ = read_extents(words[3], "--block");
    shared_ = std::strtoull(words[4].c_str(), nullptr, 10);
    std::size_t at = 5;
    for (; at < words.size() && words[at] != "--"; at += 2) read_output(words[at], words[at + 1]);
    const std::vector<std::string> given(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
    if (given.size() != kernel_->parameters.size()) {
      fail(ExitCode::usage, "kernel '{}' has {} parameters but {} arguments are given; it takes: {}", kernel_->name,
           kernel_->parameters.size(), given.size(), signature_text(*kernel_));
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      arguments_.push_back(read_argument(kernel_->parameters[i], given[i]));
    for (const auto& [parameter, file] : saved_) check_buffer(parameter, "--save");
    for (const auto& [parameter, count] : printed_) check_buffer(parameter, "--print");
  }

  void execute() {
    // Must precede the first runtime call.
    if (module_->address_bits() == 32) setenv("HEDDLE_LOW_MEMORY", "1", 1);
    static Wrapper wrapper;
    wrapper.data = text_.c_str();
    static char host = 0;
    __cudaRegisterFunction(__cudaRegisterFatBinary(&wrapper), &host, nullptr, kernel_->name.c_str(), -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    places_.resize(arguments_.size());
    std::vector<void*> values;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      Argument& argument = arguments_[i];
      if (argument.is_buffer) {
        require(cudaMalloc(&places_[i], std::max<std::size_t>(argument.bytes.size(), 1)),
                "a buffer cannot be allocated");
        require(cudaMemcpy(places_[i], argument.bytes.data(), argument.bytes.size(), cudaMemcpyHostToDevice),
                "a buffer cannot be filled");
        values.push_back(&places_[i]);
      } else {
        values.push_back(argument.bytes.data());
      }
    }
    require(cudaLaunchKernel(&host, {grid_.x, grid_.y, grid_.z}, {block_.x, block_.y, block_.z}, values.data(), shared_,
                             nullptr),
            "the kernel cannot be launched");
    require(cudaDeviceSynchronize(), "the kernel failed");
    for (std::size_t i = 0; i < arguments_.size(); ++i) report(i);
  }

 private:
  void read_output(const std::string& option, const std::string& value) {
    const std::size_t equals = value.find('=');
    const std::string name = value.substr(0, equals),
                      rest = equals == std::string::npos ? "" : value.substr(equals + 1);
    if (option == "--save") {
      if (rest.empty()) fail(ExitCode::usage, "--save {}: write PARAMETER=FILE, as in --save 0=out.bin", value);
      saved_[parameter_of(*kernel_, name, "--save")] = rest;
    } else {
      char* end = nullptr;
      const std::uint64_t count = rest.empty() ? ~std::uint64_t{0} : std::strtoull(rest.c_str(), &end, 10);
      if (!rest.empty() && *end != '\0') fail(ExitCode::usage, "--print {}: write PARAMETER or PARAMETER=COUNT", value);
      printed_[parameter_of(*kernel_, name, "--print")] = count;
    }
  }
  void check_buffer(std::size_t parameter, const char* option) const {
    if (!arguments_[parameter].is_buffer)
      fail(ExitCode::usage, "{} {}: its argument is not a buffer", option, kernel_->parameters[parameter].name);
  }
  void report(std::size_t i) {
    Argument& argument = arguments_[i];
    if (!argument.is_buffer) return;
    std::vector<std::byte> after(argument.bytes.size());
    require(cudaMemcpy(after.data(), places_[i], after.size(), cudaMemcpyDeviceToHost), "a buffer cannot be read");
    if (const auto file = saved_.find(i); file != saved_.end()) {
      write_file_atomically(file->second, {reinterpret_cast<const char*>(after.data()), after.size()});
      const char* const quiet = std::getenv("HEDDLE_QUIET");
      if (quiet == nullptr || std::string_view(quiet) != "1")
        fmt::print(stderr, "heddle: {}\n",
                   written_text({{file->second, "buffer " + std::string(kernel_->parameters[i].name)}}));
    }
    const auto asked = printed_.find(i);
    const bool shows = asked != printed_.end() || (saved_.empty() && printed_.empty() && after != argument.bytes);
    if (!shows) return;
    const std::size_t all = after.size() / isa::size_of(argument.element);
    const std::size_t count = std::min<std::size_t>(asked == printed_.end() ? kShown : asked->second, all);
    fmt::print("{} ({} x {}): {}{}\n", kernel_->parameters[i].name, isa::name_of(argument.element), all,
               elements_text(after, argument.element, count), count < all ? " ..." : "");
  }

  std::string text_;
  std::shared_ptr<const isa::Module> module_;
  const isa::KernelSignature* kernel_ = nullptr;
  Extents grid_, block_;
  std::size_t shared_ = 0;
  std::map<std::size_t, std::string> saved_;
  std::map<std::size_t, std::uint64_t> printed_;
  std::vector<Argument> arguments_;
  std::vector<void*> places_;
};

int run(const std::vector<std::string>& words) {
  try {
    if (words.size() < 6) fail(ExitCode::usage, "this program must be started by heddle run --ptx");
    std::ifstream file(words[0], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) fail(ExitCode::io, "{}: cannot be read", words[0]);
    Run(std::move(text), words).execute();
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "heddle run: error: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heddle run: error: the host does not have enough memory for the buffers\n");
    return static_cast<int>(ExitCode::usage);
  }
}

}  // namespace
}  // namespace heddle::ptx_runner

int main(int argc, char** argv) { return heddle::ptx_runner::run({argv + 1, argv + argc}); }
