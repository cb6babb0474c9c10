// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/payload.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Counts payloads returned to it.
class Manager final : public tlm::tlm_mm_interface {
 public:
  void free(tlm::tlm_generic_payload* payload) override {
    ++freed;
    payload->reset();
  }
  int freed = 0;
};

TEST(Payload, ARequestOfAPoolHasItsExtensionWhereTheStandardLooksForIt) {
  PayloadPool pool;
  tlm::tlm_generic_payload& payload = pool.take(tlm::TLM_READ_COMMAND, 0x1000, 128);
  RequestInfo* const info = RequestInfo::of(payload);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(payload.get_extension<RequestInfo>(), info);
  info->access = 7;
  tlm::tlm_generic_payload copy;
  copy.deep_copy_from(payload);
  ASSERT_NE(RequestInfo::of(copy), nullptr);
  EXPECT_NE(RequestInfo::of(copy), info);
  EXPECT_EQ(RequestInfo::of(copy)->access, 7u);
  payload.release();
}

TEST(Payload, ATakenRequestKnowsNothingOfTheOneBefore) {
  PayloadPool pool;
  tlm::tlm_generic_payload& first = pool.take(tlm::TLM_WRITE_COMMAND, 0x1000, 128);
  RequestInfo::of(first)->route = 0x55;
  EXPECT_EQ(pool.outstanding(), 1u);
  first.release();
  EXPECT_EQ(pool.outstanding(), 0u);
  tlm::tlm_generic_payload& second = pool.take(tlm::TLM_READ_COMMAND, 0x2000, 32);
  EXPECT_EQ(&second, &first);
  EXPECT_EQ(RequestInfo::of(second)->route, 0u);
  EXPECT_EQ(second.get_byte_enable_ptr(), nullptr);
  second.release();
}

TEST(Payload, AForeignRequestHasTheExtensionItWasGivenOrNone) {
  Manager manager;
  tlm::tlm_generic_payload payload(&manager);
  EXPECT_EQ(RequestInfo::of(payload), nullptr);
  auto* const info = new RequestInfo;
  payload.acquire();
  payload.set_auto_extension(info);
  EXPECT_EQ(RequestInfo::of(payload), info);
  payload.release();
  EXPECT_EQ(manager.freed, 1);
  EXPECT_EQ(RequestInfo::of(payload), nullptr);
}

}  // namespace
}  // namespace heddle
