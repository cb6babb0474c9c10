// SPDX-License-Identifier: Apache-2.0
// A lexical scanner, one thread a line of text: a state machine of jumps whose paths part and meet at places that no
// loop or if-else encloses (unstructured control flow).
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     0
//   warp instructions: no
//   size:              lines
#include "common.h"

constexpr int kBlock = 64;

struct Counts {
  unsigned words, numbers, strings, comments, others, errors;
};

__host__ __device__ inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
__host__ __device__ inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `text` ends with a zero byte.
__device__ Counts scan_line(const char* text) {
  Counts counts = {0, 0, 0, 0, 0, 0};
  char c;
between:
  c = *text++;
  if (c == '\0') goto done;
  if (c == ' ') goto between;
  if (is_letter(c)) goto word;
  if (is_digit(c)) goto number;
  if (c == '"') goto string;
  if (c == '/') goto slash;
other:
  ++counts.others;
  goto between;
word:
  c = *text++;
  if (is_letter(c) || is_digit(c)) goto word;
  ++counts.words;
  goto unread;
number:
  c = *text++;
  if (is_digit(c)) goto number;
  if (c == '.') goto fraction;
  if (is_letter(c)) goto error;  // a number must not run into a word
  ++counts.numbers;
  goto unread;
fraction:
  c = *text++;
  if (is_digit(c)) goto fraction;
  if (c == '.') goto error;
  ++counts.numbers;
  goto unread;
string:
  c = *text++;
  if (c == '\\') {
    if (*text++ == '\0') goto cut;
    goto string;
  }
  if (c == '\0') goto cut;
  if (c != '"') goto string;
  ++counts.strings;
  goto between;
slash:
  if (*text != '/') goto other;
  ++counts.comments;
  goto done;
error:
  ++counts.errors;
  goto word;  // the rest of it counts as a word
cut:
  ++counts.errors;
  goto done;
unread:
  --text;
  goto between;
done:
  return counts;
}

__global__ void tokenizer(const char* text, const int* line_start, Counts* counts, int lines) {
  const int line = blockIdx.x * kBlock + threadIdx.x;
  if (line < lines) counts[line] = scan_line(text + line_start[line]);
}

// The same with loops, by looking at what a token starts with.
Counts reference_line(const std::string& text) {
  Counts counts = {0, 0, 0, 0, 0, 0};
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto skip_word = [&](std::size_t i) {
    while (is_letter(at(i)) || is_digit(at(i))) ++i;
    return i;
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
    } else if (is_letter(c)) {
      i = skip_word(i);
      ++counts.words;
    } else if (is_digit(c)) {
      while (is_digit(at(i))) ++i;
      bool wrong = is_letter(at(i));
      if (at(i) == '.') {
        ++i;
        while (is_digit(at(i))) ++i;
        wrong = at(i) == '.';
      }
      if (wrong) {
        ++counts.errors;
        ++counts.words;
        i = skip_word(i + 1);
      } else {
        ++counts.numbers;
      }
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      if (i >= text.size()) {
        ++counts.errors;
        return counts;
      }
      ++counts.strings;
      ++i;
    } else if (c == '/' && at(i + 1) == '/') {
      ++counts.comments;
      return counts;
    } else {
      ++counts.others;
      ++i;
    }
  }
  return counts;
}

std::string random_line(workload::Random& random) {
  static const char* const kPieces[] = {"alpha", "x_1",      "for",        "3",     "2718", "3.14", "0.5.1",
                                        "7up",   "\"text\"", "\"a\\\"b\"", "(",     ")",    "+",    "/",
                                        "= ",    " ",        "// end",     "\"cut", "\"\\"};
  constexpr unsigned kCommon = 16;  // the pieces that do not end a line
  const unsigned pieces = random.below(8);
  std::string line;
  for (unsigned piece = 0; piece < pieces; ++piece) {
    line += kPieces[random.below(12) == 0 ? kCommon + random.below(3) : random.below(kCommon)];
    if (random.below(2) == 0) line += ' ';
  }
  return line;
}

int main(int argc, char** argv) {
  const int lines = static_cast<int>(workload::parse_size(argc, argv, {200, 5000, 100000, 1, 1 << 22}));
  workload::Random random(26);
  std::vector<char> text;
  std::vector<int> line_start;
  std::vector<Counts> reference;
  for (int i = 0; i < lines; ++i) {
    const std::string line = random_line(random);
    line_start.push_back(static_cast<int>(text.size()));
    text.insert(text.end(), line.begin(), line.end());
    text.push_back('\0');
    reference.push_back(reference_line(line));
  }
  workload::DeviceArray<char> device_text(text);
  workload::DeviceArray<int> device_start(line_start);
  workload::DeviceArray<Counts> counts(lines);
  tokenizer<<<workload::blocks_for(lines, kBlock), kBlock>>>(device_text.get(), device_start.get(), counts.get(),
                                                             lines);
  CHECK_LAUNCH();
  workload::Report report("tokenizer");
  report.expect_equal("counts of a line", counts.download(), reference);
  return report.finish();
}
