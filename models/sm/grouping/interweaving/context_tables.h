// SPDX-License-Identifier: Apache-2.0
// Modules of the hot and the cold context table: the logic of hot_contexts.h and cold_contexts.h behind call sockets.
// The grouping calls the hot table, which calls the cold one.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.6.
#pragma once

#include <memory>
#include <systemc>

#include "core/kernel/call.h"
#include "sm/grouping/interweaving/hot_contexts.h"
#include "sm/sm_site.h"

namespace heddle::sm {

/// Interface of the cold table to the hot one.
class ColdContextCall : public virtual sc_core::sc_interface, public ColdStore {
 public:
  /// One cycle of the sorter.
  virtual void cycle() = 0;
  virtual bool busy() const = 0;
  /// The contexts of a warp, for checks and messages.
  virtual const ColdContexts& contents() const = 0;
};

class ColdContextTable final : public sc_core::sc_module, private ColdContextCall {
 public:
  /// charged_to: the grouping, for the storage cost.
  ColdContextTable(sc_core::sc_module_name name, SmSite& sm, const ColdShape& shape, const WaitingSplits& waiting,
                   const std::string& charged_to);

  CallExport<ColdContextCall> call;

 private:
  void push(WarpId warp, const SplitContext& context) override;
  const SplitContext* head(WarpId warp) const override { return contexts_.head(warp); }
  const SplitContext* first_free(WarpId warp) const override { return contexts_.first_free(warp); }
  SplitContext take(WarpId warp, const SplitContext* context) override;
  bool full() const override { return contexts_.full(); }
  void cycle() override;
  bool busy() const override { return contexts_.busy(); }
  const ColdContexts& contents() const override { return contexts_; }
  void declare_rows(const ColdShape& shape);
  void count();

  ColdContexts contexts_;
  ColdContexts::Counts counted_;
  StatisticsGroup group_;
  Counter pushes_, takes_, merges_, sort_cycles_, aborts_, degraded_, overflows_;
  Maximum most_used_;
  ModuleState state_;
  ProbeGroup::SignalId pushed_, taken_, out_of_order_;
};

/// Interface of the hot table to the grouping.
class HotContextCall : public virtual sc_core::sc_interface {
 public:
  virtual void start(WarpId warp, std::uint64_t threads) = 0;
  virtual void put(WarpId warp, unsigned slot, std::uint32_t pc, std::uint64_t threads) = 0;
  virtual const HotContexts::Row& row(WarpId warp) const = 0;
  virtual HotContexts::Settled settle(WarpId warp, const SplitContext& fresh, const std::array<bool, 2>& pinned) = 0;
};

class HotContextTable final : public sc_core::sc_module, private HotContextCall {
 public:
  HotContextTable(sc_core::sc_module_name name, SmSite& sm, const HotShape& shape, unsigned warp_size,
                  const WaitingSplits& waiting, const std::string& charged_to);

  CallExport<HotContextCall> call;
  CallPort<ColdContextCall> cold;

 private:
  /// The cold table behind the port.
  class Behind final : public ColdStore {
   public:
    explicit Behind(CallPort<ColdContextCall>& port) : port_(port) {}
    void push(WarpId warp, const SplitContext& context) override { port_->push(warp, context); }
    const SplitContext* head(WarpId warp) const override { return port_->head(warp); }
    const SplitContext* first_free(WarpId warp) const override { return port_->first_free(warp); }
    SplitContext take(WarpId warp, const SplitContext* context) override { return port_->take(warp, context); }
    bool full() const override { return port_->full(); }

   private:
    CallPort<ColdContextCall>& port_;
  };

  void start(WarpId warp, std::uint64_t threads) override { contexts_.start(warp, threads); }
  void put(WarpId warp, unsigned slot, std::uint32_t pc, std::uint64_t threads) override {
    contexts_.put(warp, slot, pc, threads);
  }
  const HotContexts::Row& row(WarpId warp) const override { return contexts_.row(warp); }
  HotContexts::Settled settle(WarpId warp, const SplitContext& fresh, const std::array<bool, 2>& pinned) override;
  void declare_rows(const HotShape& shape, unsigned warp_size);

  Behind behind_;
  std::unique_ptr<ContextSorter> sorter_;
  HotContexts contexts_;
  HotContexts::Counts counted_;
  StatisticsGroup group_;
  Counter changes_, splits_seen_, sorts_, merges_, swaps_, rotations_;
  Histogram heap_size_;
  ModuleState state_;
};

}  // namespace heddle::sm
