// SPDX-License-Identifier: Apache-2.0
// A step of training a network with one hidden layer of 16 units: products of inputs and weights folded by a tree in shared
// memory, in which ever fewer rows of threads take part, then a change of all weights with momentum.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     1088
//   warp instructions: no
//   size:              inputs; rounded up to whole tiles
#include "common.h"

constexpr int kHidden = 16;
constexpr int kTile = 16;  // inputs of a block
constexpr float kRate = 0.3f, kMomentum = 0.3f;

// Sums of the products of kTile inputs, by block and hidden unit. The products replace the weights in a copy.
__global__ void feed_forward(const float* inputs, const float* weights, float* partial_sums) {
  __shared__ float input[kTile];
  __shared__ float product[kTile][kHidden];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int index = (blockIdx.x * kTile + ty) * kHidden + tx;
  if (tx == 0) input[ty] = inputs[blockIdx.x * kTile + ty];
  __syncthreads();
  product[ty][tx] = weights[index];
  __syncthreads();
  product[ty][tx] = product[ty][tx] * input[ty];
  __syncthreads();
  for (int power = 2; power <= kTile; power *= 2) {
    if (ty % power == 0) product[ty][tx] += product[ty + power / 2][tx];
    __syncthreads();
  }
  if (ty == 0) partial_sums[blockIdx.x * kHidden + tx] = product[0][tx];
}

__host__ __device__ inline float change_of(float delta, float input, float before) {
  return fmaf(kRate * delta, input, kMomentum * before);
}

__global__ void adjust(const float* inputs, const float* deltas, float* weights, float* changes) {
  const int input = blockIdx.x * kTile + threadIdx.y, index = input * kHidden + threadIdx.x;
  const float change = change_of(deltas[threadIdx.x], inputs[input], changes[index]);
  weights[index] += change;
  changes[index] = change;
}

// A sigmoid without a function of a math library, so that every host computes the same.
float activation(float sum) { return std::fma(0.5f, sum / (1.0f + std::fabs(sum)), 0.5f); }

// What the host does between the kernels: activations of the hidden layer, and how far each unit is off its target.
std::vector<float> deltas_of(const std::vector<float>& partial_sums, const std::vector<float>& targets) {
  std::vector<float> deltas(kHidden);
  for (int unit = 0; unit < kHidden; ++unit) {
    float sum = 0.0f;
    for (std::size_t i = unit; i < partial_sums.size(); i += kHidden) sum += partial_sums[i];
    const float hidden = activation(sum);
    deltas[unit] = hidden * (1.0f - hidden) * (targets[unit] - hidden);
  }
  return deltas;
}

int main(int argc, char** argv) {
  const long wanted = workload::parse_size(argc, argv, {200, 4000, 65536, 1, 1 << 20});
  const unsigned blocks = workload::blocks_for(wanted, kTile);
  const std::size_t count = std::size_t{blocks} * kTile;
  workload::Random random(87);
  std::vector<float> inputs(count), weights(count * kHidden), changes(count * kHidden), targets(kHidden);
  for (float& input : inputs) input = random.between(0.0f, 1.0f);
  for (float& weight : weights) weight = random.between(-1.0f, 1.0f);
  for (float& change : changes) change = random.between(-0.01f, 0.01f);
  for (float& target : targets) target = random.between(0.1f, 0.9f);

  std::vector<float> sums(blocks * kHidden), new_weights = weights, new_changes = changes;
  for (unsigned block = 0; block < blocks; ++block)
    for (int unit = 0; unit < kHidden; ++unit) {
      float products[kTile];
      for (int i = 0; i < kTile; ++i) products[i] = weights[(block * kTile + i) * kHidden + unit] * inputs[block * kTile + i];
      for (int power = 2; power <= kTile; power *= 2)
        for (int i = 0; i < kTile; i += power) products[i] += products[i + power / 2];
      sums[block * kHidden + unit] = products[0];
    }
  const std::vector<float> deltas = deltas_of(sums, targets);
  for (std::size_t i = 0; i < new_weights.size(); ++i) {
    new_changes[i] = change_of(deltas[i % kHidden], inputs[i / kHidden], changes[i]);
    new_weights[i] += new_changes[i];
  }

  workload::DeviceArray<float> device_inputs(inputs), device_weights(weights), device_changes(changes), device_sums(sums.size());
  feed_forward<<<blocks, dim3(kHidden, kTile)>>>(device_inputs.get(), device_weights.get(), device_sums.get());
  CHECK_LAUNCH();
  workload::DeviceArray<float> device_deltas(deltas_of(device_sums.download(), targets));
  adjust<<<blocks, dim3(kHidden, kTile)>>>(device_inputs.get(), device_deltas.get(), device_weights.get(), device_changes.get());
  CHECK_LAUNCH();
  workload::Report report("backprop");
  report.expect_equal("partial sum", device_sums.download(), sums);
  report.expect_equal("weight", device_weights.download(), new_weights);
  report.expect_equal("change", device_changes.download(), new_changes);
  return report.finish();
}
