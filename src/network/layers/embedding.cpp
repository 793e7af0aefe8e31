#include "network/layers/layers.h"

namespace atto {
namespace {

class Embedding final : public Layer {
 public:
  Embedding(const Matrix& table, const Stream& output) : table_(table), output_(output) {}

  // x[c][D] = W_E[token_c]
  void forward(const Pass& pass) const override {
    embed_forward(pass.weights(table_), table_.rows, table_.columns, pass.work.batch().tokens, pass.row(output_.value),
                  output_.positions, pass.lanes());
    add_embedding_noise(pass, output_);
  }

  // dW_E[token_c] += dx[c]
  void backward(const Pass& pass) const override {
    const int32_t* tokens = pass.work.batch().tokens;
    const float* dx = pass.row(output_.gradient);
    if (compared())
      embed_lanes_backward(pass.lane_gradient(table_), table_.rows, table_.columns, tokens, dx, output_.positions,
                           pass.lanes());
    else
      embed_backward(pass.gradient(table_), table_.rows, table_.columns, tokens, dx, output_.positions, pass.lanes());
  }

 private:
  bool compared() const {
    return table_.rows <= kComparedVocabulary && table_.columns <= kNarrowWidth &&
           table_.lane_offset != Matrix::kPlainSums;
  }

  Matrix table_;  // [V][D]
  Stream output_;
};

}  // namespace

std::unique_ptr<Layer> make_embedding(const Matrix& table, const Stream& output) {
  return std::make_unique<Embedding>(table, output);
}

}  // namespace atto
