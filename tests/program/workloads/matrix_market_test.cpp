// SPDX-License-Identifier: Apache-2.0
// Matrix Market files: what is read of each kind, and what each malformed file is told.
#include "matrix_market.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace workload {
namespace {

MarketMatrix read(const std::string& text) {
  std::istringstream stream(text);
  return MarketReader(stream).read();
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const MarketError& error) {
    return error.what();
  }
  return "";
}

using Ints = std::vector<int>;
using Floats = std::vector<float>;

TEST(MatrixMarket, SortsEntriesByRowThenColumn) {
  const MarketMatrix matrix = read(
      "%%MatrixMarket matrix coordinate real general\n"
      "% a comment\n"
      "\n"
      "3 4 4\n"
      "3 1 1e1\n"
      "1 4 -2.5\n"
      "% between entries too\n"
      "1 2 3\n"
      "3 4 .5\n");
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 4);
  EXPECT_EQ(matrix.entries.row_start, (Ints{0, 2, 2, 4}));
  EXPECT_EQ(matrix.entries.column, (Ints{1, 3, 0, 3}));
  EXPECT_EQ(matrix.entries.value, (Floats{3.0f, -2.5f, 10.0f, 0.5f}));
}

TEST(MatrixMarket, EntriesOfAPatternAreOne) {
  const MarketMatrix matrix = read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n");
  EXPECT_EQ(matrix.entries.row_start, (Ints{0, 1, 2}));
  EXPECT_EQ(matrix.entries.value, (Floats{1.0f, 1.0f}));
}

TEST(MatrixMarket, SymmetricEntriesCountTwiceExceptOnTheDiagonal) {
  const MarketMatrix matrix = read("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 7\n2 2 5\n3 1 -1\n");
  EXPECT_EQ(matrix.entries.row_start, (Ints{0, 2, 4, 5}));
  EXPECT_EQ(matrix.entries.column, (Ints{1, 2, 0, 1, 0}));
  EXPECT_EQ(matrix.entries.value, (Floats{7.0f, -1.0f, 7.0f, 5.0f, -1.0f}));
}

TEST(MatrixMarket, EntriesNamedTwiceStayInTheOrderOfTheFile) {
  const MarketMatrix matrix = read("%%MatrixMarket matrix coordinate real general\n1 2 3\n1 2 1\n1 1 2\n1 2 3\n");
  EXPECT_EQ(matrix.entries.column, (Ints{0, 1, 1}));
  EXPECT_EQ(matrix.entries.value, (Floats{2.0f, 1.0f, 3.0f}));
}

TEST(MatrixMarket, TakesAnyLettersOfTheHeaderAndLinesEndedAsElsewhere) {
  const MarketMatrix matrix = read("%%MATRIXMARKET Matrix COORDINATE Real General\r\n1 1 1\r\n1 1 2\r\n");
  EXPECT_EQ(matrix.entries.value, (Floats{2.0f}));
  EXPECT_TRUE(read("%%MatrixMarket matrix coordinate real general\n2 2 0\n").entries.column.empty());
}

TEST(MatrixMarket, NamesTheLineOfWhatIsWrong) {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(error_of(""), "line 1: the file is empty");
  EXPECT_EQ(error_of("1 1 1\n1 1 1\n"),
            "line 1: a Matrix Market file begins with '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  EXPECT_EQ(error_of("%%MatrixMarket matrix array real general\n"),
            "line 1: format 'array' is not supported, only coordinate");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate complex general\n"),
            "line 1: field 'complex' is not supported, only real, integer and pattern");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate real hermitian\n"),
            "line 1: symmetry 'hermitian' is not supported, only general and symmetric");
  EXPECT_EQ(error_of(real), "line 1: the line with rows, columns and entries is missing");
  EXPECT_EQ(error_of(real + "2 2\n"), "line 2: three numbers are expected: rows, columns and entries");
  EXPECT_EQ(error_of(real + "0 2 1\n"), "line 2: the number of rows is '0', not a number from 1 to 2147483646");
  EXPECT_EQ(error_of(real + "2 2x 1\n"), "line 2: the number of columns is '2x', not a number from 1 to 2147483646");
  EXPECT_EQ(error_of(real + "2 2 -1\n"), "line 2: the number of entries is '-1', not a number from 0 to 1073741823");
  EXPECT_EQ(error_of(real + "2 2 1\n3 1 1\n"), "line 3: the row is '3', not a number from 1 to 2");
  EXPECT_EQ(error_of(real + "%\n2 2 1\n1 0 1\n"), "line 4: the column is '0', not a number from 1 to 2");
  EXPECT_EQ(error_of(real + "2 2 1\n1 1\n"), "line 3: an entry is a row, a column and a value");
  EXPECT_EQ(error_of(real + "2 2 1\n1 1 one\n"), "line 3: the value 'one' is no finite number");
  EXPECT_EQ(error_of(real + "2 2 1\n1 1 1e99\n"), "line 3: the value '1e99' is no finite number");
  EXPECT_EQ(error_of(real + "2 2 2\n1 1 1\n"), "line 3: the file ends after 1 of 2 entries");
  EXPECT_EQ(error_of(real + "2 2 1\n1 1 1\n2 2 2\n"), "line 4: there are more entries than the 1 announced");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"),
            "line 3: the value '1.5' is no finite whole number");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n"),
            "line 3: an entry of a pattern is a row and a column");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n"),
            "line 2: a symmetric matrix has as many rows as columns");
  EXPECT_EQ(error_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
            "line 3: a symmetric matrix has entries on and below the diagonal only");
}

}  // namespace
}  // namespace workload
