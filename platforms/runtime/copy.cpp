// SPDX-License-Identifier: Apache-2.0
// All forms of copies and fills, each reduced to a box of bytes moved row by row. They take no simulated time.
#include <cstring>
#include <limits>

#include "runtime/runtime.h"

using heddle::gpu::DeviceMemory;
using heddle::runtime::api;
using heddle::runtime::ApiError;
using heddle::runtime::CallWork;
using heddle::runtime::copy_work;
using heddle::runtime::CopyWork;
using heddle::runtime::FillWork;
using heddle::runtime::on_stream;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

/// One end of a copy.
struct Side {
  std::byte* start = nullptr;
  std::size_t row_bytes = 0;    ///< row pitch
  std::size_t slice_bytes = 0;  ///< slice pitch
  bool device = false;          ///< the copy's kind says it is device memory
  bool either = false;          ///< cudaMemcpyDefault: decided by the address
};

struct Box {
  std::size_t width = 0;  ///< bytes
  std::size_t height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

/// Saturates on overflow: no such range can be allocated.
std::size_t span_of(const Side& side, const Box& box) {
  std::size_t slices = 0, rows = 0, span = 0;
  const bool too_large = __builtin_mul_overflow(box.depth - 1, side.slice_bytes, &slices) ||
                         __builtin_mul_overflow(box.height - 1, side.row_bytes, &rows) ||
                         __builtin_add_overflow(slices, rows, &span) || __builtin_add_overflow(span, box.width, &span);
  return too_large ? std::numeric_limits<std::size_t>::max() : span;
}

/// Device memory must be fully allocated; host memory must not overlap the device's range. Computed contents may be
/// read.
void check(const DeviceMemory& memory, const Side& side, const Box& box, bool reads = false) {
  const auto begin = reinterpret_cast<std::uint64_t>(side.start), end = begin + span_of(side, box);
  const bool reserved = begin - memory.base() < memory.reserved_bytes();
  const bool valid =
      end > begin && (memory.accessible_exactly(begin, end) || (reads && memory.generated(begin, end - begin)));
  require(side.start != nullptr, cudaErrorInvalidValue);
  if (side.either) {
    require(!reserved || valid, cudaErrorInvalidValue);
  } else if (side.device) {
    require(valid, cudaErrorInvalidValue);
  } else if (reserved) {
    // Page-locked and managed memory also counts as host memory.
    const auto allocation = memory.find(begin);
    const bool host = valid && (allocation->kind == heddle::gpu::AllocationKind::host ||
                                allocation->kind == heddle::gpu::AllocationKind::managed);
    require(host, cudaErrorInvalidValue);
  }
}

void set_kind(Side& to, Side& from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      break;
    case cudaMemcpyHostToDevice:
      to.device = true;
      break;
    case cudaMemcpyDeviceToHost:
      from.device = true;
      break;
    case cudaMemcpyDeviceToDevice:
      to.device = from.device = true;
      break;
    case cudaMemcpyDefault:
      to.either = from.either = true;
      break;
    default:
      throw ApiError(cudaErrorInvalidMemcpyDirection);
  }
}

/// Page-locked and managed memory counts as host memory.
bool on_device(Runtime& runtime, const Side& side) {
  const auto [begin, end] = runtime.device().memory().device_range();
  return reinterpret_cast<std::uint64_t>(side.start) - begin < end - begin;
}

void count(Runtime& runtime, const Side& to, const Side& from, const Box& box) {
  heddle::runtime::HostStatistics& statistics = runtime.device().host_statistics();
  const std::uint64_t bytes = std::uint64_t{box.width} * box.height * box.depth;
  const bool target = on_device(runtime, to), source = on_device(runtime, from);
  if (target && source) statistics.on_device += bytes;
  if (target && !source) statistics.to_device += bytes;
  if (!target && source) statistics.to_host += bytes;
}

void move(Runtime& runtime, const Side& to, const Side& from, const Box& box) {
  const DeviceMemory& memory = runtime.device().memory();
  runtime.synchronize();
  if (box.empty()) return;
  check(memory, to, box);
  check(memory, from, box, true);
  count(runtime, to, from, box);
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      std::byte* const target = to.start + z * to.slice_bytes + y * to.row_bytes;
      const std::byte* const source = from.start + z * from.slice_bytes + y * from.row_bytes;
      if (!memory.produce(reinterpret_cast<std::uint64_t>(source), box.width, target))
        std::memmove(target, source, box.width);
    }
  }
}

void fill(Runtime& runtime, const Side& to, int value, const Box& box) {
  const DeviceMemory& memory = runtime.device().memory();
  if (box.empty()) return;
  check(memory, to, box);
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      std::memset(to.start + z * to.slice_bytes + y * to.row_bytes, value, box.width);
    }
  }
}

Side linear(const void* start, std::size_t pitch = 0, std::size_t rows = 0) {
  return {const_cast<std::byte*>(static_cast<const std::byte*>(start)), pitch, pitch * rows, false, false};
}

/// A position in an array; `x` in bytes. The box must fit.
Side inside_array(Runtime& runtime, cudaArray_const_t handle, std::size_t x, std::size_t y, std::size_t z,
                  const Box& box) {
  const cudaArray* array = runtime.arrays().find(handle);
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  const auto within = [](std::size_t from, std::size_t length, std::size_t whole) {
    return from <= whole && length <= whole - from;
  };
  const bool fits = within(x, box.width, array->width() * array->texel_bytes) &&
                    within(y, box.height, array->height()) && within(z, box.depth, array->depth());
  require(fits, cudaErrorInvalidValue);
  auto* start = reinterpret_cast<std::byte*>(array->address + z * array->slice_bytes + y * array->row_bytes + x);
  return {start, array->row_bytes, array->slice_bytes, true, false};
}

/// Checks that `count` bytes from a position on, row by row, lie in the array.
void check_rows(const cudaArray& array, std::size_t x, std::size_t y, std::size_t count) {
  const std::size_t row = array.width() * array.texel_bytes;
  require(x <= row && y <= array.height(), cudaErrorInvalidValue);
  const std::size_t rest = (array.height() - y) * row;
  require(x <= rest && count <= rest - x, cudaErrorInvalidValue);
}

/// Transfers such bytes to or from linear memory.
template <typename Transfer>
void by_rows(const cudaArray& array, std::size_t x, std::size_t y, std::size_t count, Transfer&& transfer) {
  check_rows(array, x, y, count);
  const std::size_t row = array.width() * array.texel_bytes;
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, row - x);
    transfer(x, y, done, part);
    done += part;
    x = 0;
    ++y;
  }
}

/// Fills rows with one byte value.
FillWork fill_work(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return FillWork{{to, pitch, static_cast<unsigned>(value) & 0xff, 1, width, height}};
}

}  // namespace

// -- one dimension

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream, [&](Runtime&) { return copy_work(to, from, count, kind); },
      [&](Runtime& runtime) {
        Side target = linear(to), source = linear(from);
        set_kind(target, source, kind);
        move(runtime, target, source, {count});
      });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, count, kind, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t count,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return api([](Runtime&) { require(false, cudaErrorInvalidDevice); });
  return cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t count) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, count, nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t count, cudaStream_t stream) {
  return on_stream(
      stream, [&](Runtime&) { return fill_work(to, count, value, count, 1); },
      [&](Runtime& runtime) {
        Side target = linear(to);
        target.device = true;
        fill(runtime, target, value, {count});
      });
}

cudaError_t heddle::runtime::fill_elements(const cudaMemsetParams& parameters, cudaStream_t stream) {
  return on_stream(
      stream, [&](Runtime&) { return FillWork{parameters}; },
      [&](Runtime& runtime) {
        const std::size_t size = parameters.elementSize;
        Side target = linear(parameters.dst, parameters.pitch);
        target.device = true;
        const Box box{parameters.width * size, parameters.height};
        require(box.width <= parameters.pitch || box.height <= 1, cudaErrorInvalidValue);
        fill(runtime, target, static_cast<int>(parameters.value & 0xff), box);
        if (size == 1) return;
        for (std::size_t y = 0; y < box.height; ++y) {
          for (std::size_t x = 0; x < parameters.width; ++x)
            std::memcpy(target.start + y * target.row_bytes + x * size, &parameters.value, size);
        }
      });
}

cudaError_t cudaMemset(void* to, int value, std::size_t count) { return cudaMemsetAsync(to, value, count, nullptr); }

// -- symbols

namespace {

Side symbol_side(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t count) {
  heddle::runtime::ModuleTable::VariableRange place;
  require(runtime.modules().find_variable(symbol, runtime.site(), place), cudaErrorInvalidSymbol);
  require(offset <= place.size && count <= place.size - offset, cudaErrorInvalidValue);
  return linear(reinterpret_cast<const void*>(place.address + offset));
}

}  // namespace

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t count, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime& runtime) { return copy_work(symbol_side(runtime, symbol, offset, count).start, from, count, kind); },
      [&](Runtime& runtime) {
        require(kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection);
        Side target = symbol_side(runtime, symbol, offset, count), source = linear(from);
        set_kind(target, source, kind);
        move(runtime, target, source, {count});
      });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime& runtime) { return copy_work(to, symbol_side(runtime, symbol, offset, count).start, count, kind); },
      [&](Runtime& runtime) {
        require(kind != cudaMemcpyHostToDevice && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection);
        Side target = linear(to), source = symbol_side(runtime, symbol, offset, count);
        set_kind(target, source, kind);
        move(runtime, target, source, {count});
      });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, nullptr);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    *pointer = symbol_side(runtime, symbol, 0, 0).start;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return api([&](Runtime& runtime) {
    require(size != nullptr, cudaErrorInvalidValue);
    heddle::runtime::ModuleTable::VariableRange place;
    require(runtime.modules().find_variable(symbol, runtime.site(), place), cudaErrorInvalidSymbol);
    *size = place.size;
  });
}

// -- two dimensions

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        CopyWork work;
        work.parameters.dstPtr = {to, to_pitch, width, height};
        work.parameters.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
        work.parameters.extent = {width, height, 1};
        work.parameters.kind = kind;
        return work;
      },
      [&](Runtime& runtime) {
        require(width <= to_pitch && width <= from_pitch, cudaErrorInvalidPitchValue);
        Side target = linear(to, to_pitch), source = linear(from, from_pitch);
        set_kind(target, source, kind);
        move(runtime, target, source, {width, height});
      });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return on_stream(
      stream, [&](Runtime&) { return fill_work(to, pitch, value, width, height); },
      [&](Runtime& runtime) {
        require(width <= pitch || height <= 1, cudaErrorInvalidValue);
        Side target = linear(to, pitch);
        target.device = true;
        fill(runtime, target, value, {width, height});
      });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

// -- three dimensions

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        return CallWork{cudaGraphNodeTypeMemset, [=] { return cudaMemset3DAsync(to, value, extent, nullptr); }};
      },
      [&](Runtime& runtime) {
        Side target = linear(to.ptr, to.pitch, to.ysize);
        target.device = true;
        fill(runtime, target, value, {extent.width, extent.height, extent.depth});
      });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

namespace {

/// Bytes per element of the copy's extent: the texel size, or 1 without an array.
std::size_t element_bytes(Runtime& runtime, const cudaMemcpy3DParms& parms) {
  for (cudaArray_const_t handle : {parms.srcArray, parms.dstArray}) {
    if (handle == nullptr) continue;
    const cudaArray* array = runtime.arrays().find(handle);
    require(array != nullptr, cudaErrorInvalidResourceHandle);
    return array->texel_bytes;
  }
  return 1;
}

Side side_of(Runtime& runtime, cudaArray_const_t array, const cudaPitchedPtr& pointer, const cudaPos& place,
             std::size_t element, const Box& box) {
  // A position is in texels for an array and in bytes for memory.
  if (array != nullptr) return inside_array(runtime, array, place.x * element, place.y, place.z, box);
  require(pointer.ptr != nullptr, cudaErrorInvalidValue);
  require(box.width <= pointer.pitch || (box.height <= 1 && box.depth <= 1), cudaErrorInvalidPitchValue);
  Side side = linear(pointer.ptr, pointer.pitch, pointer.ysize);
  side.start += place.z * side.slice_bytes + place.y * side.row_bytes + place.x;
  return side;
}

}  // namespace

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parms, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        require(parms != nullptr, cudaErrorInvalidValue);
        return CopyWork{*parms};
      },
      [&](Runtime& runtime) {
        require(parms != nullptr, cudaErrorInvalidValue);
        require((parms->srcArray != nullptr) != (parms->srcPtr.ptr != nullptr), cudaErrorInvalidValue);
        require((parms->dstArray != nullptr) != (parms->dstPtr.ptr != nullptr), cudaErrorInvalidValue);
        const std::size_t element = element_bytes(runtime, *parms);
        const Box box{parms->extent.width * element, parms->extent.height, parms->extent.depth};
        Side target = side_of(runtime, parms->dstArray, parms->dstPtr, parms->dstPos, element, box);
        Side source = side_of(runtime, parms->srcArray, parms->srcPtr, parms->srcPos, element, box);
        set_kind(target, source, parms->kind);
        move(runtime, target, source, box);
      });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parms) { return cudaMemcpy3DAsync(parms, nullptr); }

// -- arrays

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        return CallWork{cudaGraphNodeTypeMemcpy,
                        [=] { return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr); }};
      },
      [&](Runtime& runtime) {
        require(width <= pitch, cudaErrorInvalidPitchValue);
        const Box box{width, height};
        Side target = inside_array(runtime, to, x, y, 0, box), source = linear(from, pitch);
        set_kind(target, source, kind);
        move(runtime, target, source, box);
      });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        return CallWork{cudaGraphNodeTypeMemcpy, [=] {
                          return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
                        }};
      },
      [&](Runtime& runtime) {
        require(width <= pitch, cudaErrorInvalidPitchValue);
        const Box box{width, height};
        Side target = linear(to, pitch), source = inside_array(runtime, from, x, y, 0, box);
        set_kind(target, source, kind);
        move(runtime, target, source, box);
      });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                     std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
  return api([&](Runtime& runtime) {
    require(kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
    const Box box{width, height};
    move(runtime, inside_array(runtime, to, to_x, to_y, 0, box), inside_array(runtime, from, from_x, from_y, 0, box),
         box);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        return CallWork{cudaGraphNodeTypeMemcpy,
                        [=] { return cudaMemcpyToArrayAsync(to, x, y, from, count, kind, nullptr); }};
      },
      [&](Runtime& runtime) {
        const cudaArray* array = runtime.arrays().find(to);
        require(array != nullptr, cudaErrorInvalidResourceHandle);
        by_rows(*array, x, y, count, [&](std::size_t row_x, std::size_t row_y, std::size_t done, std::size_t part) {
          Side target = inside_array(runtime, to, row_x, row_y, 0, {part}),
               source = linear(static_cast<const std::byte*>(from) + done);
          set_kind(target, source, kind);
          move(runtime, target, source, {part});
        });
      });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t count,
                              cudaMemcpyKind kind) {
  return cudaMemcpyToArrayAsync(to, x, y, from, count, kind, nullptr);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream(
      stream,
      [&](Runtime&) {
        return CallWork{cudaGraphNodeTypeMemcpy,
                        [=] { return cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, nullptr); }};
      },
      [&](Runtime& runtime) {
        const cudaArray* array = runtime.arrays().find(from);
        require(array != nullptr, cudaErrorInvalidResourceHandle);
        by_rows(*array, x, y, count, [&](std::size_t row_x, std::size_t row_y, std::size_t done, std::size_t part) {
          Side target = linear(static_cast<std::byte*>(to) + done),
               source = inside_array(runtime, from, row_x, row_y, 0, {part});
          set_kind(target, source, kind);
          move(runtime, target, source, {part});
        });
      });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t count,
                                cudaMemcpyKind kind) {
  return cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, nullptr);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                   std::size_t from_x, std::size_t from_y, std::size_t count, cudaMemcpyKind) {
  return api([&](Runtime& runtime) {
    const cudaArray *target = runtime.arrays().find(to), *source = runtime.arrays().find(from);
    require(target != nullptr && source != nullptr, cudaErrorInvalidResourceHandle);
    check_rows(*source, from_x, from_y, count);
    check_rows(*target, to_x, to_y, count);
    std::vector<std::byte> bytes(count);
    by_rows(*source, from_x, from_y, count, [&](std::size_t x, std::size_t y, std::size_t done, std::size_t part) {
      std::memcpy(&bytes[done], inside_array(runtime, from, x, y, 0, {part}).start, part);
    });
    by_rows(*target, to_x, to_y, count, [&](std::size_t x, std::size_t y, std::size_t done, std::size_t part) {
      std::memcpy(inside_array(runtime, to, x, y, 0, {part}).start, &bytes[done], part);
    });
  });
}
