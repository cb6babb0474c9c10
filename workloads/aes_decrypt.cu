// SPDX-License-Identifier: Apache-2.0
// AES-128 decryption of chained blocks (CBC), a block of 16 bytes at a time by each persistent thread: look-ups of a
// table in shared memory by data and doublings whose correction is a guarded instruction, the same number for every
// thread.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     432
//   warp instructions: no
//   size:              bytes; rounded up to whole blocks
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (decrypt). Cipher: FIPS 197; chaining: SP 800-38A.
#include <array>

#include "persistent.h"

using Byte = unsigned char;
using Block = std::array<Byte, 16>;  // byte i is row i % 4 of column i / 4

constexpr int kRounds = 10;
constexpr int kKeyWords = 4 * (kRounds + 1);

// A column is a word, its first row the lowest byte.
struct Tables {
  Byte plain[256];           // the inverse substitution
  unsigned keys[kKeyWords];  // of the rounds in the order of decryption
};

// The byte of row `row` after substitution, at its place in a column.
__device__ inline unsigned plain_byte(const Tables& tables, unsigned column, int row) {
  return static_cast<unsigned>(tables.plain[column >> 8 * row & 255]) << 8 * row;
}
// A column of the next state before mixing; in it row r comes from the column r to the left.
__device__ inline unsigned plain_column(const Tables& tables, unsigned c0, unsigned c1, unsigned c2, unsigned c3) {
  return plain_byte(tables, c0, 0) | plain_byte(tables, c1, 1) | plain_byte(tables, c2, 2) | plain_byte(tables, c3, 3);
}

// Twice an element of the field, 0 to 255. Compilers for machines with conditional moves have no branch here.
__device__ inline unsigned doubled(unsigned value) {
  unsigned result;
  asm("{.reg .pred high;\n\t"
      ".reg .b32 twice;\n\t"
      "setp.gt.u32 high, %1, 127;\n\t"
      "shl.b32 twice, %1, 1;\n\t"
      "@high xor.b32 twice, twice, 0x11b;\n\t"
      "mov.b32 %0, twice;}"
      : "=r"(result)
      : "r"(value));
  return result;
}
// The column of the inverse mixing matrix for row 0 times a byte; the columns for other rows are rotations of it.
__device__ inline unsigned mixed_byte(unsigned value) {
  const unsigned twice = doubled(value), four_times = doubled(twice), nine_times = doubled(four_times) ^ value;
  const unsigned eleven_times = nine_times ^ twice, thirteen_times = nine_times ^ four_times;
  return (thirteen_times ^ twice ^ value) | nine_times << 8 | thirteen_times << 16 | eleven_times << 24;
}
__device__ inline unsigned mixed_column(unsigned column) {
  unsigned mixed = 0;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    const unsigned of_byte = mixed_byte(column >> 8 * row & 255);
    mixed ^= __funnelshift_l(of_byte, of_byte, 8 * row);
  }
  return mixed;
}

// `encrypted` begins with the block that the first one is chained to.
__global__ void aes_decrypt(const uint4* encrypted, const Tables* tables, uint4* decrypted, unsigned blocks) {
  __shared__ Tables own;
  for (unsigned i = threadIdx.x; i < sizeof(Tables) / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(&own)[i] = reinterpret_cast<const unsigned*>(tables)[i];
  __syncthreads();
  for (unsigned i = workload::first_item(); i < blocks; i += workload::kPersistentThreads) {
    uint4 state = encrypted[i + 1];
    state.x ^= own.keys[0];
    state.y ^= own.keys[1];
    state.z ^= own.keys[2];
    state.w ^= own.keys[3];
    const unsigned* key = own.keys + 4;
#pragma unroll 1
    for (int round = 1;; ++round, key += 4) {
      const uint4 old = state;
      state.x = plain_column(own, old.x, old.w, old.z, old.y) ^ key[0];
      state.y = plain_column(own, old.y, old.x, old.w, old.z) ^ key[1];
      state.z = plain_column(own, old.z, old.y, old.x, old.w) ^ key[2];
      state.w = plain_column(own, old.w, old.z, old.y, old.x) ^ key[3];
      if (round == kRounds) break;
      state.x = mixed_column(state.x);
      state.y = mixed_column(state.y);
      state.z = mixed_column(state.z);
      state.w = mixed_column(state.w);
    }
    const uint4 chained = encrypted[i];
    decrypted[i] = uint4{state.x ^ chained.x, state.y ^ chained.y, state.z ^ chained.z, state.w ^ chained.w};
  }
}

// The cipher byte by byte, as the standard writes it.
Byte product(Byte a, Byte b) {
  Byte sum = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) sum ^= a;
    a = static_cast<Byte>(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return sum;
}
Byte substituted(Byte value) {
  Byte inverse = 0;
  for (int i = 1; i < 256 && value != 0; ++i)
    if (product(value, static_cast<Byte>(i)) == 1) inverse = static_cast<Byte>(i);
  Byte result = 0x63;
  for (int shift = 0; shift < 5; ++shift) result ^= static_cast<Byte>(inverse << shift | inverse >> (8 - shift));
  return result;
}
struct Cipher {
  Byte substitution[256];
  Block keys[kRounds + 1];

  explicit Cipher(const Block& key) {
    for (int i = 0; i < 256; ++i) substitution[i] = substituted(static_cast<Byte>(i));
    keys[0] = key;
    Byte constant = 1;
    for (int round = 1; round <= kRounds; ++round, constant = product(constant, 2))
      for (int i = 0; i < 16; ++i) {
        Byte turned = i < 4 ? substitution[keys[round - 1][12 + (i + 1) % 4]] : keys[round][i - 4];
        if (i == 0) turned ^= constant;
        keys[round][i] = keys[round - 1][i] ^ turned;
      }
  }
  Block encrypt(Block state) const {
    for (int i = 0; i < 16; ++i) state[i] ^= keys[0][i];
    for (int round = 1; round <= kRounds; ++round) {
      Block old = state;
      for (int i = 0; i < 16; ++i) state[i] = substitution[old[(i + i % 4 * 4) % 16]];
      old = state;
      for (int i = 0; i < 16 && round < kRounds; ++i) {
        const Byte* column = &old[i / 4 * 4];
        state[i] =
            product(column[i % 4], 2) ^ product(column[(i + 1) % 4], 3) ^ column[(i + 2) % 4] ^ column[(i + 3) % 4];
      }
      for (int i = 0; i < 16; ++i) state[i] ^= keys[round][i];
    }
    return state;
  }
};

Tables tables_for(const Cipher& cipher) {
  Tables tables;
  for (int i = 0; i < 256; ++i) tables.plain[cipher.substitution[i]] = static_cast<Byte>(i);
  for (int word = 0; word < kKeyWords; ++word) {
    const Byte* column = &cipher.keys[kRounds - word / 4][word % 4 * 4];
    tables.keys[word] = column[0] | column[1] << 8 | column[2] << 16 | static_cast<unsigned>(column[3]) << 24;
  }
  return tables;
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto bytes = static_cast<unsigned>(workload::parse_size(argc, argv, {1500, 32768, 262144, 1, 1 << 26}));
  const unsigned blocks = (bytes + 15) / 16;
  workload::Report report("aes_decrypt");
  Block key, text;
  for (int i = 0; i < 16; ++i) key[i] = static_cast<Byte>(i), text[i] = static_cast<Byte>(i * 17);
  const Cipher cipher(key);
  // FIPS 197, appendix C.1.
  const Block example{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  report.expect_true("the cipher", cipher.encrypt(text) == example);

  workload::Random random(69);
  std::vector<Block> encrypted(blocks + 1), reference(blocks);
  for (Byte& byte : encrypted[0]) byte = static_cast<Byte>(random.below(256));
  for (unsigned i = 0; i < blocks; ++i) {
    Block chained;
    for (int b = 0; b < 16; ++b) {
      reference[i][b] = static_cast<Byte>(random.below(256));
      chained[b] = reference[i][b] ^ encrypted[i][b];
    }
    encrypted[i + 1] = cipher.encrypt(chained);
  }
  workload::DeviceArray<Block> device_encrypted(encrypted), decrypted(blocks);
  workload::DeviceArray<Tables> tables(std::vector<Tables>(1, tables_for(cipher)));
  aes_decrypt<<<workload::persistent_blocks(threads, blocks), threads>>>(
      reinterpret_cast<const uint4*>(device_encrypted.get()), tables.get(), reinterpret_cast<uint4*>(decrypted.get()),
      blocks);
  CHECK_LAUNCH();
  report.expect_equal("decrypted block", decrypted.download(), reference);
  return report.finish();
}
