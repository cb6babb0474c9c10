// SPDX-License-Identifier: Apache-2.0
// Blackjack played by basic strategy, a deck of 52 cards a thread in shared memory: branches on cards, and loops of
// drawing that threads leave at different times. Memory is read and written at the end only.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     13312, dynamic
//   warp instructions: no
//   size:              rounds of the game, dealt out to 1024 threads
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (blackjack).
#include "persistent.h"

constexpr unsigned kCards = 52;
constexpr unsigned kWords = kCards / 4;
constexpr unsigned kLastDeal = 36;  // no round begins with more cards drawn than that
constexpr int kGoal = 21, kDealerStands = 17;
constexpr unsigned kResults = 3;  // of a thread: winnings in half bets, rounds won, rounds the player went over

// Shuffles as it is drawn from: a card comes from a random place among those not drawn. Any order of the cards is as
// good as another to begin with. Aces count 1.
struct Deck {
  unsigned char* cards;  // card i at (i / 4) * stride + i % 4, so that neighbouring threads use different banks
  unsigned stride;
  unsigned drawn;
  unsigned random;

  __host__ __device__ unsigned char& card(unsigned i) { return cards[(i >> 2) * stride + (i & 3)]; }
  __host__ __device__ void fill() {
    for (unsigned i = 0; i < kCards; ++i) card(i) = static_cast<unsigned char>(i < 36 ? i / 4 + 1 : 10);
  }
  __host__ __device__ int draw() {
    random = random * 1664525u + 1013904223u;
    const unsigned long long left = kCards - drawn;
    const unsigned place = drawn + static_cast<unsigned>(random * left >> 32);
    const unsigned char drawn_card = card(place);
    card(place) = card(drawn);
    card(drawn) = drawn_card;
    ++drawn;
    return drawn_card;
  }
};

struct Hand {
  int total = 0;  // aces as 1
  bool ace = false;

  __host__ __device__ void take(int card) {
    total += card;
    if (card == 1) ace = true;
  }
  __host__ __device__ bool soft() const { return ace && total <= 11; }  // one ace counts 11
  __host__ __device__ int best() const { return soft() ? total + 10 : total; }
};

__host__ __device__ inline bool takes_another(const Hand& hand, int shown) {
  if (hand.soft()) {
    if (hand.best() == 18) return shown >= 9 || shown == 1;
    return hand.best() < 18;
  }
  if (hand.total <= 11) return true;
  if (hand.total >= 17) return false;
  if (shown == 1 || shown >= 7) return true;
  return hand.total == 12 && shown <= 3;
}

__host__ __device__ inline void play_round(Deck& deck, int* results) {
  if (deck.drawn > kLastDeal) deck.drawn = 0;
  Hand player, dealer;
  player.take(deck.draw());
  const int shown = deck.draw();
  dealer.take(shown);
  player.take(deck.draw());
  dealer.take(deck.draw());
  int bet = 2, won = 0;
  if (player.best() == kGoal) {
    if (dealer.best() != kGoal) won = 3;
  } else if (dealer.best() == kGoal) {
    won = -bet;
  } else {
    if (!player.soft() && (player.total == 11 || player.total == 10) && shown != 1 && shown < 10) {
      bet = 4;
      player.take(deck.draw());
    } else {
      while (takes_another(player, shown)) player.take(deck.draw());
    }
    if (player.best() > kGoal) {
      won = -bet;
      ++results[2];
    } else {
      while (dealer.best() < kDealerStands) dealer.take(deck.draw());
      if (dealer.best() > kGoal || dealer.best() < player.best()) {
        won = bet;
      } else if (dealer.best() > player.best()) {
        won = -bet;
      }
    }
  }
  results[0] += won;
  if (won > 0) ++results[1];
}

__host__ __device__ inline unsigned seed_of(unsigned thread) { return thread * 2654435761u + 4321u; }

// A thread plays rounds thread, thread + 1024, ... Shared memory: a deck a thread.
__global__ void blackjack(unsigned rounds, int* results) {
  extern __shared__ unsigned decks[];
  const unsigned thread = workload::first_item();
  if (thread >= rounds) return;
  Deck deck{reinterpret_cast<unsigned char*>(decks + threadIdx.x), blockDim.x * 4, 0, seed_of(thread)};
  deck.fill();
  int own[kResults] = {0, 0, 0};
  for (unsigned round = thread; round < rounds; round += workload::kPersistentThreads) play_round(deck, own);
  for (unsigned i = 0; i < kResults; ++i) results[i * workload::kPersistentThreads + thread] = own[i];
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto rounds = static_cast<unsigned>(workload::parse_size(argc, argv, {300, 8192, 786432, 1, 1 << 28}));
  std::vector<int> reference(kResults * workload::kPersistentThreads, 0);
  for (unsigned thread = 0; thread < workload::kPersistentThreads; ++thread) {
    unsigned char cards[kCards];
    Deck deck{cards, 4, 0, seed_of(thread)};
    deck.fill();
    int own[kResults] = {0, 0, 0};
    for (unsigned round = thread; round < rounds; round += workload::kPersistentThreads) play_round(deck, own);
    for (unsigned i = 0; i < kResults; ++i) reference[i * workload::kPersistentThreads + thread] = own[i];
  }
  workload::DeviceArray<int> results(reference.size());
  const std::size_t shared = threads * kWords * sizeof(unsigned);
  workload::allow_shared(blackjack, shared);
  blackjack<<<workload::persistent_blocks(threads, rounds), threads, shared>>>(rounds, results.get());
  CHECK_LAUNCH();
  workload::Report report("blackjack");
  report.expect_equal("result", results.download(), reference);
  return report.finish();
}
