#include "network/layers.h"

namespace atto {
namespace {

// Logits and cross-entropy belong together: the gradient of the pair, softmax minus the answer, is simpler than either.
class Unembedding final : public Layer {
 public:
  Unembedding(Plan& plan, const Matrix& table, const Stream& input) : table_(table), input_(input) {
    softmax_ = plan.rows(input.positions * table.rows);
    total_ = plan.rows(input.positions);
  }

  // logits = U o;  loss += -ln softmax(logits)_target
  void forward(const Pass& pass) const override {
    const TokenBatch& batch = pass.work.batch;
    for (int i = 0; i < input_.positions; ++i) {
      const size_t at = static_cast<size_t>(i) * static_cast<size_t>(pass.lanes());
      unembed_loss_forward(pass.weights(table_), table_.rows, table_.columns,
                           pass.row(input_.value, i * input_.features), batch.targets + at, batch.weights + at,
                           pass.row(softmax_, i * table_.rows), pass.row(total_, i), pass.work.sums, pass.lanes());
    }
  }

  // dlogits = softmax - answer;  dU += dlogits oᵀ;  do = Uᵀ dlogits
  void backward(const Pass& pass) const override {
    const TokenBatch& batch = pass.work.batch;
    for (int i = 0; i < input_.positions; ++i) {
      const size_t at = static_cast<size_t>(i) * static_cast<size_t>(pass.lanes());
      unembed_loss_backward(pass.weights(table_), table_.rows, table_.columns,
                            pass.row(input_.value, i * input_.features), batch.targets + at, batch.weights + at,
                            pass.loss_scale, pass.row(softmax_, i * table_.rows), pass.row(total_, i),
                            pass.lane_gradient(table_), pass.row(input_.gradient, i * input_.features), pass.lanes());
    }
  }

 private:
  Matrix table_;  // [V][D]
  Stream input_;
  Rows softmax_;  // [Q][V]
  Rows total_;    // [Q]
};

}  // namespace

std::unique_ptr<Layer> make_unembedding(Plan& plan, const Matrix& table, const Stream& input) {
  return std::make_unique<Unembedding>(plan, table, input);
}

}  // namespace atto
