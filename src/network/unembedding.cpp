#include "network/layers.h"

namespace atto {
namespace {

// Logits and cross-entropy belong together: the gradient of the pair, softmax minus the answer, is simpler than either.
class Unembedding final : public Layer {
 public:
  Unembedding(Plan& plan, const Matrix& table, double harmonic_power, const Stream& input)
      : table_(table), power_(static_cast<float>(harmonic_power)), input_(input) {
    softmax_ = plan.rows(input.positions * table.rows);
    total_ = plan.rows(input.positions);
  }

  // logits of o;  loss += -ln softmax(logits)_target
  void forward(const Pass& pass) const override {
    const int v = table_.rows, d = table_.columns, n = pass.lanes();
    const float* u = pass.weights(table_);
    for (int i = 0; i < input_.positions; ++i) {
      const Asked at(*this, pass, i);
      if (power_ > 0)
        harmonic_loss_forward(power_, u, v, d, at.o, at.targets, at.weights, at.softmax, at.total, pass.work.sums, n);
      else unembed_loss_forward(u, v, d, at.o, at.targets, at.weights, at.softmax, at.total, pass.work.sums, n);
    }
  }

  // dlogits = softmax - answer, and from it dU and do
  void backward(const Pass& pass) const override {
    const int v = table_.rows, d = table_.columns, n = pass.lanes();
    const float* u = pass.weights(table_);
    float* du = pass.lane_gradient(table_);
    for (int i = 0; i < input_.positions; ++i) {
      const Asked at(*this, pass, i);
      float* d_o = pass.row(input_.gradient, i * input_.features);
      if (power_ > 0)
        harmonic_loss_backward(power_, u, v, d, at.o, at.targets, at.weights, pass.loss_scale, at.softmax, at.total, du,
                               d_o, n);
      else
        unembed_loss_backward(u, v, d, at.o, at.targets, at.weights, pass.loss_scale, at.softmax, at.total, du, d_o, n);
    }
  }

 private:
  // The rows of one asked position.
  struct Asked {
    Asked(const Unembedding& layer, const Pass& pass, int i)
        : o(pass.row(layer.input_.value, i * layer.input_.features)),
          targets(pass.work.batch.targets + static_cast<size_t>(i) * static_cast<size_t>(pass.lanes())),
          weights(pass.work.batch.weights + static_cast<size_t>(i) * static_cast<size_t>(pass.lanes())),
          softmax(pass.row(layer.softmax_, i * layer.table_.rows)),
          total(pass.row(layer.total_, i)) {}

    const float* o;
    const int32_t* targets;
    const float* weights;
    float* softmax;
    float* total;
  };

  Matrix table_;  // [V][D]
  float power_;   // 0: linear
  Stream input_;
  Rows softmax_;  // [Q][V]
  Rows total_;    // [Q]
};

}  // namespace

std::unique_ptr<Layer> make_unembedding(Plan& plan, const Matrix& table, double harmonic_power, const Stream& input) {
  return std::make_unique<Unembedding>(plan, table, harmonic_power, input);
}

}  // namespace atto
