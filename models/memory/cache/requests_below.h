// SPDX-License-Identifier: Apache-2.0
// Requests of a cache to the level below: fills, write-backs and requests passed on. They queue here until sent and are
// tracked until answered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/kernel/payload.h"
#include "core/requester.h"
#include "core/ring_queue.h"
#include "memory/cache/cache_counts.h"
#include "memory/cache/cache_parameters.h"
#include "memory/functional.h"

namespace heddle::memory {

class RequestsBelow {
 public:
  using Id = std::uint32_t;
  enum class Kind : std::uint8_t { fill, passed_on, write_back };
  struct Request {
    Kind kind = Kind::fill;
    bool sent = false;
    bool carries_bytes = false;
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t waiting = 0;  ///< passed_on: the request above
    std::uint64_t line = 0;     ///< fill; also the next four
    TagArray::Place place = 0;
    SectorMask sectors = 0;
    Requester owner;
    Cycle requested = 0;
    Id next_free = kNone;
    std::vector<unsigned char> bytes;  ///< for a target below that rejects byte enables

    RequestInfo& info() const { return *RequestInfo::of(*payload); }
  };

  RequestsBelow(const CacheParameters& parameters, CacheCounts& counts)
      : counts_(counts),
        latency_(parameters.miss_latency),
        capacity_(std::size_t{parameters.miss_queue} + parameters.miss_latency) {}

  /// Whether the queue has room for `requests` more. An empty queue takes any number.
  bool room(unsigned requests) const { return queue_.empty() || queue_.size() + requests <= capacity_; }
  /// Queues a request. parent: the request that caused it, whose attributes it inherits; null: none.
  Id add(Kind kind, tlm::tlm_command command, std::uint64_t address, unsigned bytes, const RequestInfo* parent,
         Cycle now);
  /// Queues the write-back of dirty bytes of an evicted line. owner: of the line. local: it holds local memory, for
  /// which the level below may use a different policy.
  void write_back(std::uint64_t address, unsigned bytes, Requester owner, bool local, Cycle now);
  Request& operator[](Id id) { return requests_[id]; }

  bool empty() const { return queue_.empty(); }
  std::size_t queued() const { return queue_.size(); }
  /// Cycle from which the oldest queued request may be sent; not empty().
  Cycle ready() const { return queue_.front().ready; }
  /// Dequeues the oldest request for sending. below: its target, from which data is read if it rejects byte enables.
  tlm::tlm_generic_payload& send(tlm::tlm_fw_transport_if<>& below, BytesBelow& bytes);
  /// The request that a reply answers.
  static Id of(const tlm::tlm_generic_payload& reply) { return static_cast<Id>(RequestInfo::of(reply)->access); }
  /// Handles a reply that rejects byte enables: from now on writes carry the bytes they overwrite, and this request is
  /// queued again. False for any other reply.
  bool refused(Id id, Cycle now) {
    return requests_[id].payload->get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE && send_again(id, now);
  }
  /// Retires an answered request; true: it was a write.
  bool answered(Id id) {
    Request& request = requests_[id];
    const bool write = request.payload->is_write();
    request.payload->release();
    request.payload = nullptr;
    request.bytes.clear();
    request.next_free = free_;
    free_ = id;
    return write;
  }

  bool refuses_byte_enables() const { return refuses_byte_enables_; }
  /// Whether a write, queued or in flight, overlaps the bytes of a request.
  bool writes_to(const tlm::tlm_generic_payload& payload) const;

 private:
  static constexpr Id kNone = ~Id{0};
  struct Queued {
    Id id = 0;
    Cycle ready = 0;
  };

  bool send_again(Id id, Cycle now);
  void carry_bytes(Request& request, tlm::tlm_fw_transport_if<>& below, BytesBelow& bytes);

  CacheCounts& counts_;
  Cycle latency_;
  std::size_t capacity_;
  PayloadPool pool_;
  RingQueue<Queued> queue_;
  std::vector<Request> requests_;
  Id free_ = kNone;
  bool refuses_byte_enables_ = false;
};

}  // namespace heddle::memory
