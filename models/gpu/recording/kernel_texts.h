// SPDX-License-Identifier: Apache-2.0
// Texts of parts of kernels (instructions, basic blocks), which recorders write again and again.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::isa {
struct Kernel;
}

namespace heddle::gpu {

/// Kernels outlive this.
template <typename Text>
class KernelTexts {
 public:
  /// The text of a part, made by `make` when first asked for. number: of the part among `count` of the kernel.
  template <typename Make>
  const Text& of(const isa::Kernel& kernel, std::size_t number, std::size_t count, Make&& make) {
    if (last_ != &kernel) {
      last_ = &kernel;
      texts_ = &known_[&kernel];
      texts_->resize(count);
    }
    std::optional<Text>& text = (*texts_)[number];
    if (!text) text = make();
    return *text;
  }

 private:
  using Texts = std::vector<std::optional<Text>>;
  std::unordered_map<const isa::Kernel*, Texts> known_;
  const isa::Kernel* last_ = nullptr;  ///< asked for last, with its texts
  Texts* texts_ = nullptr;
};

}  // namespace heddle::gpu
