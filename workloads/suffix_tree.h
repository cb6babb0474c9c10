// SPDX-License-Identifier: Apache-2.0
// Suffix tree of a text of letters 0 to 3, built letter by letter (Ukkonen's algorithm), with suffix links.
#pragma once
#include <algorithm>
#include <vector>

namespace workload {

constexpr int kLetters = 4;

// What a search needs of a node, 32 bytes. Node 0 is the root; child 0 means none, and so does link 0 but for the root.
struct SuffixNode {
  int child[kLetters + 1];  // the last one begins with the end of the text
  int first, length;        // of the letters that lead to the node, within the text
  int link;                 // where the node's letters without the first one lead
};

class SuffixTree {
 public:
  // `text` ends with kLetters, which is nowhere else in it.
  explicit SuffixTree(const std::vector<unsigned char>& text) : text_(text), nodes_(1, SuffixNode{}) {
    for (int end = 0; end < static_cast<int>(text_.size()); ++end) extend(end);
    for (SuffixNode& node : nodes_)
      if (node.length == kOpen) node.length = static_cast<int>(text_.size()) - node.first;
  }
  const std::vector<SuffixNode>& nodes() const { return nodes_; }

 private:
  static constexpr int kOpen = 1 << 30;  // length of an edge that ends with the text

  int add(int first, int length) {
    SuffixNode node{};
    node.first = first;
    node.length = length;
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }
  // All suffixes of text[0 .. end]. `active_` with `edge_` and `along_` is where the longest one without a leaf ends.
  void extend(int end) {
    int unlinked = 0;
    const auto link_to = [&](int node) {
      if (unlinked != 0) nodes_[unlinked].link = node;
      unlinked = node;
    };
    for (++left_; left_ > 0;) {
      if (along_ == 0) edge_ = end;
      const int next = nodes_[active_].child[text_[edge_]];
      if (next == 0) {
        const int leaf = add(end, kOpen);
        nodes_[active_].child[text_[edge_]] = leaf;
        link_to(active_);
      } else {
        const int length = std::min(nodes_[next].length, end + 1 - nodes_[next].first);
        if (along_ >= length) {
          active_ = next;
          edge_ += length;
          along_ -= length;
          continue;
        }
        if (text_[nodes_[next].first + along_] == text_[end]) {
          ++along_;
          link_to(active_);
          return;
        }
        const int middle = add(nodes_[next].first, along_), leaf = add(end, kOpen);
        nodes_[active_].child[text_[edge_]] = middle;
        nodes_[next].first += along_;
        if (nodes_[next].length != kOpen) nodes_[next].length -= along_;
        nodes_[middle].child[text_[nodes_[next].first]] = next;
        nodes_[middle].child[text_[end]] = leaf;
        link_to(middle);
      }
      --left_;
      if (active_ == 0 && along_ > 0) {
        --along_;
        edge_ = end - left_ + 1;
      } else {
        active_ = nodes_[active_].link;
      }
    }
  }

  const std::vector<unsigned char>& text_;
  std::vector<SuffixNode> nodes_;
  int active_ = 0, edge_ = 0, along_ = 0, left_ = 0;
};

}  // namespace workload
