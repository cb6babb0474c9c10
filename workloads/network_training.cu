// SPDX-License-Identifier: Apache-2.0
// A step of training a network with one hidden layer of 16 units and a bias: rows of the weights have 17 words, so that
// no row but the first begins with a line of memory. Products are folded by a tree in shared memory; then all weights
// change with momentum.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     1088
//   warp instructions: no
//   size:              inputs; rounded up to whole tiles
//
// Source: docs/sources/dynamic-warp-resizing.md, 5 (BKP).
#include "common.h"

constexpr int kHidden = 16, kRow = kHidden + 1;  // unit 0 is the bias, in both layers
constexpr int kTile = 16;                        // inputs of a block
constexpr float kRate = 0.3f, kMomentum = 0.3f;

// Sums of the products of kTile inputs, by block and hidden unit.
__global__ void feed_forward(const float* inputs, const float* weights, float* partial_sums) {
  __shared__ float input[kTile];
  __shared__ float product[kTile][kHidden];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty + 1;
  if (tx == 0) input[ty] = inputs[row];
  __syncthreads();
  product[ty][tx] = weights[row * kRow + tx + 1] * input[ty];
  __syncthreads();
  for (int power = 2; power <= kTile; power *= 2) {
    if (ty % power == 0) product[ty][tx] += product[ty + power / 2][tx];
    __syncthreads();
  }
  if (ty == 0) partial_sums[blockIdx.y * kHidden + tx] = product[0][tx];
}

__host__ __device__ inline float change_of(float delta, float input, float before) {
  return fmaf(kRate * delta, input, kMomentum * before);
}

// `deltas` has one entry per unit, the bias included; so has `inputs`.
__global__ void adjust(const float* inputs, const float* deltas, float* weights, float* changes) {
  const int row = blockIdx.y * kTile + threadIdx.y + 1, index = row * kRow + threadIdx.x + 1;
  const float change = change_of(deltas[threadIdx.x + 1], inputs[row], changes[index]);
  weights[index] += change;
  changes[index] = change;
  __syncthreads();
  if (blockIdx.y == 0 && threadIdx.y == 0) {
    const int bias = threadIdx.x + 1;
    const float bias_change = change_of(deltas[bias], inputs[0], changes[bias]);
    weights[bias] += bias_change;
    changes[bias] = bias_change;
  }
}

// A sigmoid without a function of a math library, so that every host computes the same.
float activation(float sum) { return std::fma(0.5f, sum / (1.0f + std::fabs(sum)), 0.5f); }

// What the host does between the kernels: activations of the hidden layer, and how far each unit is off its target.
std::vector<float> deltas_of(const std::vector<float>& partial_sums, const std::vector<float>& weights,
                             const std::vector<float>& targets) {
  std::vector<float> deltas(kRow, 0.0f);
  for (int unit = 0; unit < kHidden; ++unit) {
    float sum = weights[unit + 1];
    for (std::size_t i = unit; i < partial_sums.size(); i += kHidden) sum += partial_sums[i];
    const float hidden = activation(sum);
    deltas[unit + 1] = hidden * (1.0f - hidden) * (targets[unit] - hidden);
  }
  return deltas;
}

int main(int argc, char** argv) {
  const long wanted = workload::parse_size(argc, argv, {200, 4000, 65536, 1, 1 << 20});
  const unsigned blocks = workload::blocks_for(wanted, kTile);
  const int count = static_cast<int>(blocks) * kTile;
  workload::Random random(91);
  std::vector<float> inputs(count + 1, 1.0f), weights((count + 1) * kRow), changes(weights.size()), targets(kHidden);
  for (int i = 1; i <= count; ++i) inputs[i] = random.between(0.0f, 1.0f);
  for (float& weight : weights) weight = random.between(-1.0f, 1.0f);
  for (float& change : changes) change = random.between(-0.01f, 0.01f);
  for (float& target : targets) target = random.between(0.1f, 0.9f);

  std::vector<float> sums(blocks * kHidden), new_weights = weights, new_changes = changes;
  for (unsigned block = 0; block < blocks; ++block)
    for (int unit = 0; unit < kHidden; ++unit) {
      float products[kTile];
      for (int i = 0; i < kTile; ++i) {
        const int row = static_cast<int>(block) * kTile + i + 1;
        products[i] = weights[row * kRow + unit + 1] * inputs[row];
      }
      for (int power = 2; power <= kTile; power *= 2)
        for (int i = 0; i < kTile; i += power) products[i] += products[i + power / 2];
      sums[block * kHidden + unit] = products[0];
    }
  const std::vector<float> deltas = deltas_of(sums, weights, targets);
  for (int row = 0; row <= count; ++row)
    for (int unit = 1; unit < kRow; ++unit) {
      const int i = row * kRow + unit;
      new_changes[i] = change_of(deltas[unit], inputs[row], changes[i]);
      new_weights[i] += new_changes[i];
    }

  workload::DeviceArray<float> device_inputs(inputs), device_weights(weights), device_changes(changes), device_sums(sums.size());
  const dim3 grid(1, blocks), block(kHidden, kTile);
  feed_forward<<<grid, block>>>(device_inputs.get(), device_weights.get(), device_sums.get());
  CHECK_LAUNCH();
  workload::DeviceArray<float> device_deltas(deltas_of(device_sums.download(), weights, targets));
  adjust<<<grid, block>>>(device_inputs.get(), device_deltas.get(), device_weights.get(), device_changes.get());
  CHECK_LAUNCH();
  workload::Report report("network_training");
  report.expect_equal("partial sum", device_sums.download(), sums);
  report.expect_equal("weight", device_weights.download(), new_weights);
  report.expect_equal("change", device_changes.download(), new_changes);
  return report.finish();
}
