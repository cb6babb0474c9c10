// SPDX-License-Identifier: Apache-2.0
// rtl/subwarp_pack.sv against pack_subwarp(): all masks of four rows of four, random ones of the sizes used by
// machines, and the vectors of docs/sources/large-warps-and-database-search.md 3.1 and 3.2.
#include "SubwarpPack4x4.h"
#include "SubwarpPack8x32.h"
#include "SubwarpPack8x4.h"
#include "rtl/subwarp_packer_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "SubwarpPack16x32.h"
#include "SubwarpPack2x32.h"
#include "SubwarpPack4x32.h"
#endif

namespace heddle::rtl {
namespace {

using sm::PackMode;
using sm::PackRequest;
using sm::SubWarp;

class PackerVectors : public BlockTest {
 protected:
  using Row = std::string;  ///< "1010": columns from 0 on

  static ThreadSet threads(const std::vector<Row>& rows) {
    ThreadSet set;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        if (rows[r][c] == '1') set.set(r * rows[r].size() + c);
      }
    }
    return set;
  }
  /// "0 2 - 1": the row of each column's thread.
  static std::string rows_of(const SubWarp& packed, unsigned columns) {
    std::string text;
    for (unsigned c = 0; c < columns; ++c) {
      bool taken = false;
      packed.threads.for_each([&](std::size_t t) { taken |= t % columns == c; });
      text += (c == 0 ? "" : " ") + (taken ? std::to_string(packed.row[c]) : "-");
    }
    return text;
  }
  /// Cycles until nothing is left, each as rows_of(); "bubble", "null", "token". Also checks against the model.
  template <unsigned kRows, typename Packer>
  std::vector<std::string> cycles(Packer& packer, PackRequest request,
                                  const std::function<void(PackRequest&, unsigned cycle)>& before = {}) {
    std::vector<std::string> seen;
    for (unsigned cycle = 0; cycle < 64; ++cycle) {
      if (before) before(request, cycle);
      const SubWarp packed = packer.pack(request);
      EXPECT_EQ(packed, pack_subwarp({kRows, 4}, request));
      seen.push_back(packed.any                        ? rows_of(packed, 4)
                     : !packed.last                    ? "bubble"
                     : request.mode == PackMode::token ? "token"
                                                       : "null");
      request.work = packed.left;
      if (packed.last) return seen;
    }
    return seen;
  }
  template <typename Packer, unsigned kRows>
  void random_vectors() {
    SubwarpPackerRtl<Packer, kRows, 32> packer(site_);
    rounds([&] {
      PackRequest request;
      for (unsigned w = 0; w < (kRows + 1) / 2; ++w) {
        request.work.set_word(w, word());
        request.in_flight.set_word(w, word() & (random_() % 2 ? word() : 0));
        request.guard.set_word(w, word() | word());
      }
      // Neither reads bits beyond the shape.
      request.mode = static_cast<PackMode>(random_() % 8 == 0 ? 2 : random_() % 2);
      ASSERT_EQ(packer.pack(request), pack_subwarp({kRows, 32}, request));
    });
  }

  using Words = std::vector<std::string>;
  SubwarpPackerRtl<SubwarpPack8x4, 8, 4> eight_{site_};
  const std::vector<Row> figure_ = {"1010", "1001", "0111", "0100", "0101", "0011", "1000", "1100"};
  const ThreadSet all_ = ThreadSet::first_n(32);
};

TEST_F(PackerVectors, AllMasksOfFourByFourInEveryMode) {
  site_.path = "small";
  SubwarpPackerRtl<SubwarpPack4x4, 4, 4> packer(site_);
  struct Words2 {
    std::uint64_t in_flight, guard;
  };
  for (const Words2& other : {Words2{0, 0xffff}, Words2{0x000f, 0xffff}, Words2{0, 0x5a3c}, Words2{0x8421, 0x7bde},
                              Words2{0x1234, 0x0ff0}, Words2{0xffff, 0}, Words2{0xf00f, 0xfff0}}) {
    for (std::uint64_t work = 0; work < 0x10000; ++work) {
      PackRequest request{ThreadSet::of_word(work), ThreadSet::of_word(other.in_flight),
                          ThreadSet::of_word(other.guard)};
      for (const PackMode mode : {PackMode::columns, PackMode::rows, PackMode::token}) {
        request.mode = mode;
        ASSERT_EQ(packer.pack(request), pack_subwarp({4, 4}, request)) << work;
      }
    }
  }
}

TEST_F(PackerVectors, RandomEightRows) {
  site_.path = "large";
  random_vectors<SubwarpPack8x32, 8>();
}
#ifndef HEDDLE_COVERED
TEST_F(PackerVectors, RandomTwoRows) {
  site_.path = "large";
  random_vectors<SubwarpPack2x32, 2>();
}
TEST_F(PackerVectors, RandomFourRows) {
  site_.path = "large";
  random_vectors<SubwarpPack4x32, 4>();
}
TEST_F(PackerVectors, RandomSixteenRows) {
  site_.path = "large";
  random_vectors<SubwarpPack16x32, 16>();
}
#endif

TEST_F(PackerVectors, WorkedExample_3_1) {
  EXPECT_EQ(cycles<8>(eight_, {threads(figure_), {}, all_}), (Words{"0 2 0 1", "1 3 2 2", "6 4 5 4", "7 7 - 5"}));
}

TEST_F(PackerVectors, WorkedExample_3_1_ColumnsSwapped) {
  const ThreadSet work = threads({"1001", "1010", "0111", "0100", "0110", "0011", "1000", "1100"});
  EXPECT_EQ(cycles<8>(eight_, {work, {}, all_}), (Words{"0 2 1 0", "1 3 2 2", "6 4 4 5", "7 7 5 -"}));
}

TEST_F(PackerVectors, WorkedExample_3_2_OneColumnADiagonalAndAll) {
  const auto four = [&](const std::vector<Row>& rows, PackMode mode) {
    return cycles<8>(eight_, {threads(rows), {}, all_, mode});
  };
  const std::vector<Row> column(4, "1000"), diagonal = {"1000", "0100", "0010", "0001"}, full(4, "1111");
  EXPECT_EQ(four(column, PackMode::columns), (Words{"0 - - -", "1 - - -", "2 - - -", "3 - - -"}));
  EXPECT_EQ(four(column, PackMode::rows).size(), 4u);
  EXPECT_EQ(four(diagonal, PackMode::columns), (Words{"0 1 2 3"}));
  EXPECT_EQ(four(diagonal, PackMode::rows), (Words{"0 - - -", "- 1 - -", "- - 2 -", "- - - 3"}));
  EXPECT_EQ(four(full, PackMode::columns), (Words{"0 0 0 0", "1 1 1 1", "2 2 2 2", "3 3 3 3"}));
  EXPECT_EQ(four(full, PackMode::columns), four(full, PackMode::rows));
  EXPECT_EQ(four(full, PackMode::token), (Words{"token"}));
}

TEST_F(PackerVectors, WorkedExample_3_2_AGlobalLoadGoesRowByRow) {
  EXPECT_EQ(cycles<8>(eight_, {threads(figure_), {}, all_, PackMode::rows}),
            (Words{"0 - 0 -", "1 - - 1", "- 2 2 2", "- 3 - -", "- 4 - 4", "- - 5 5", "6 - - -", "7 7 - -"}));
}

TEST_F(PackerVectors, WorkedExample_3_2_RowZeroInFlight) {
  const ThreadSet row0 = ThreadSet::of_word(0xf);
  EXPECT_EQ(cycles<8>(eight_, {threads(figure_), row0, all_},
                      [](PackRequest& r, unsigned cycle) {
                        if (cycle == 1) r.in_flight.clear();
                      })
                .front(),
            "1 2 2 1");
}

TEST_F(PackerVectors, WorkedExample_3_2_Guards) {
  EXPECT_EQ(
      cycles<8>(eight_,
                {threads(figure_), {}, threads({"", "", "", "", "", "", "", "1111"}) | ThreadSet::of_word(0xf0000000)}),
      (Words{"7 7 - -"}));
  const ThreadSet row0 = ThreadSet::of_word(0xf);
  EXPECT_EQ(cycles<8>(eight_, {threads(figure_), row0, all_ - row0},
                      [&](PackRequest& r, unsigned cycle) {
                        if (cycle == 1) r = {r.work, {}, all_};
                      }),
            (Words{"1 2 2 1", "0 3 0 2", "6 4 5 4", "7 7 - 5"}));
  EXPECT_EQ(cycles<8>(eight_, {threads(figure_), row0, all_ - row0},
                      [&](PackRequest& r, unsigned cycle) {
                        if (cycle == 6) r.in_flight.clear();
                      }),
            (Words{"1 2 2 1", "6 3 5 2", "7 4 - 4", "- 7 - 5", "bubble", "bubble", "null"}));
}

TEST_F(PackerVectors, WorkedExample_3_2_AnEmptyMaskIsOneNullSubWarp) {
  EXPECT_EQ(cycles<8>(eight_, {{}, {}, all_}), (Words{"null"}));
}

// Repeating a call gives the same result without evaluating the block, which has no state.
TEST_F(PackerVectors, AnUnchangedRequestHasTheSameAnswer) {
  const PackRequest request{threads(figure_), {}, all_};
  const SubWarp first = eight_.pack(request);
  EXPECT_EQ(eight_.pack(request), first);
}

}  // namespace
}  // namespace heddle::rtl
