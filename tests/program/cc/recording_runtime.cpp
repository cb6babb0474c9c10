// SPDX-License-Identifier: Apache-2.0
// A runtime library that executes nothing but prints what programs register and launch, so that the driver can be
// tested alone. A symbol is "found" if a module reachable through its handle defines it.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Wrapper {
  int magic;
  int version;
  const char* text;
  const char* const* group;
};

struct Dim3 {
  unsigned x, y, z;
};

struct Call {
  Dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};

std::map<const void*, std::string> kernel_names;
std::vector<Call> calls;

bool defines(const char* text, const std::string& name) {
  for (const char* at = std::strstr(text, name.c_str()); at != nullptr; at = std::strstr(at + 1, name.c_str())) {
    const char* line = at;
    while (line > text && line[-1] != '\n') --line;
    const bool declared = std::strncmp(line, ".extern", 7) != 0 && std::strncmp(line, "//", 2) != 0;
    const char after = at[name.size()];
    if (declared && line[0] == '.' && (after == '(' || after == '[' || after == ';' || after == ' ')) return true;
  }
  return false;
}

// "own" takes precedence over "group": a module's local symbols are visible only through its own handle.
const char* place_of(void** handle, const char* name) {
  const Wrapper* wrapper = reinterpret_cast<const Wrapper*>(handle);
  if (defines(wrapper->text, name)) return "own";
  if (wrapper->version == 2) {
    for (const char* const* text = wrapper->group; *text != nullptr; ++text) {
      if (defines(*text, name)) return "group";
    }
  }
  return "missing";
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* pointer) {
  const Wrapper* wrapper = static_cast<const Wrapper*>(pointer);
  int modules = 1;
  if (wrapper->version == 2) {
    for (modules = 0; wrapper->group[modules] != nullptr;) ++modules;
  }
  std::printf("module magic=%x version=%d modules=%d ptx=%s\n", static_cast<unsigned>(wrapper->magic), wrapper->version,
              modules, std::strstr(wrapper->text, ".version") != nullptr ? "yes" : "no");
  return static_cast<void**>(pointer);
}

void __cudaUnregisterFatBinary(void**) { std::printf("unregister\n"); }

void __cudaRegisterFunction(void** handle, const void* host, char*, const char* name, int, void*, void*, void*, void*,
                            int*) {
  kernel_names[host] = name;
  std::printf("kernel %s %s\n", name, place_of(handle, name));
}

void __cudaRegisterVar(void** handle, char*, char*, const char* name, int, std::size_t bytes, int constant, int) {
  std::printf("variable %s %s bytes=%zu constant=%d\n", name, place_of(handle, name), bytes, constant);
}

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, void* stream) {
  calls.push_back({grid, block, shared_bytes, stream});
  return 0;
}

int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void** stream) {
  *grid = calls.back().grid;
  *block = calls.back().block;
  *shared_bytes = calls.back().shared_bytes;
  *stream = calls.back().stream;
  calls.pop_back();
  return 0;
}

int cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void**, std::size_t, void*) {
  std::printf("launch %s grid=%u block=%u\n", kernel_names[host].c_str(), grid.x, block.x);
  return 0;
}

int cudaDeviceSynchronize() { return 0; }
int cudaGetSymbolAddress(void**, const void*) { return 0; }
int cudaGetDeviceCount(int* count) {
  *count = 0;
  return 0;
}
int cudaGetDeviceProperties(void*, int) { return 101; }

}  // extern "C"
