// SPDX-License-Identifier: Apache-2.0
// Requests on the memory side: pooled generic payloads, and the one extension that carries what the base protocol has
// no field for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tlm>
#include <typeinfo>
#include <vector>

#include "core/identifier.h"

namespace heddle {

enum class AccessKind : std::uint8_t {
  load,
  store,
  atomic,
  reduction,
  instruction,
  constant,
  texture,
  prefetch,
  write_back
};

/// Backward phase, once at most between END_REQ and BEGIN_RESP: a cache that the request asked (reports_miss) does not
/// hold all of it. Ignorable, as the standard calls it: who does not know it answers TLM_ACCEPTED and does nothing.
TLM_DECLARE_EXTENDED_PHASE(LINE_MISSED);

/// Who asked, and for what. Lives as long as its payload; absent on requests of foreign initiators, which carry real
/// data.
class RequestInfo final : public tlm::tlm_extension<RequestInfo> {
 public:
  AccessKind kind = AccessKind::load;
  bool local = false;           ///< local memory: private to a thread
  bool keep_row_open = false;   ///< row-buffer-locality hint (docs/sources/large-warps-and-database-search.md, 2.14)
  bool partial = false;         ///< a store that leaves bytes of its range as they are
  bool reports_miss = false;    ///< its initiator asks for phase LINE_MISSED; cleared where that is sent
  bool coherent = false;        ///< a load that sees what other SMs wrote: answered by a level that they share
  std::uint8_t sectors = 0xff;  ///< sectors of the line that are wanted
  SmId sm;
  WarpId warp;  ///< of that SM; with it, the owner of the line
  std::uint32_t pc = 0;
  std::uint64_t access = 0;  ///< the initiator's own: which access group a reply belongs to
  std::uint64_t route = 0;   ///< for the modules on the way: ports, a byte each, the last on top

  tlm::tlm_extension_base* clone() const override { return new RequestInfo(*this); }
  void copy_from(const tlm::tlm_extension_base& from) override { *this = static_cast<const RequestInfo&>(from); }
  static RequestInfo* of(const tlm::tlm_generic_payload& payload);
};

/// A payload and its extension in one piece: who has the one at hand need not search the host's memory for the other.
class PooledPayload final : public tlm::tlm_generic_payload {
 public:
  explicit PooledPayload(tlm::tlm_mm_interface* pool) : tlm::tlm_generic_payload(pool) { set_extension(&info); }
  ~PooledPayload() override { clear_extension(&info); }

  mutable RequestInfo info;
};

inline RequestInfo* RequestInfo::of(const tlm::tlm_generic_payload& payload) {
  if (typeid(payload) == typeid(PooledPayload)) return &static_cast<const PooledPayload&>(payload).info;
  return payload.get_extension<RequestInfo>();
}

/// Payloads with their extension, taken and returned without allocation once warm. The initiator owns one.
class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  ~PayloadPool() override;

  /// A timing-only request with one reference held: reads fill a scratch line, writes carry byte enables that are all
  /// zero. bytes: 1 .. 512, within one line.
  PooledPayload& take(tlm::tlm_command command, std::uint64_t address, unsigned bytes);
  void free(tlm::tlm_generic_payload* payload) override;
  std::size_t outstanding() const { return outstanding_; }

 private:
  std::vector<std::unique_ptr<PooledPayload>> all_;
  std::vector<PooledPayload*> idle_;
  std::size_t outstanding_ = 0;
};

}  // namespace heddle
