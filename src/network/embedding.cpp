#include "network/layers.h"

namespace atto {
namespace {

class Embedding final : public Layer {
 public:
  Embedding(const Matrix& table, const Stream& output) : table_(table), output_(output) {}

  // x[c][D] = W_E[token_c]
  void forward(const Pass& pass) const override {
    for (int c = 0; c < output_.positions; ++c)
      embed_forward(pass.weights(table_), table_.columns, tokens(pass, c), pass.row(output_.value, output_.row_of(c)),
                    pass.lanes());
  }

  // dW_E[token_c] += dx[c]
  void backward(const Pass& pass) const override {
    for (int c = 0; c < output_.positions; ++c)
      embed_backward(pass.gradient(table_), table_.columns, tokens(pass, c),
                     pass.row(output_.gradient, output_.row_of(c)), pass.lanes());
  }

 private:
  static const int32_t* tokens(const Pass& pass, int position) {
    return pass.work.batch().tokens + static_cast<size_t>(position) * static_cast<size_t>(pass.lanes());
  }

  Matrix table_;  // [V][D]
  Stream output_;
};

}  // namespace

std::unique_ptr<Layer> make_embedding(const Matrix& table, const Stream& output) {
  return std::make_unique<Embedding>(table, output);
}

}  // namespace atto
