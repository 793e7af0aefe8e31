// Attention of several heads for one query.
//
// q·(W_K x_j + b_K) is (W_Kᵀ q)·x_j plus a number that is the same for all j, which softmax does not see; and
// Σ_j a_j (W_V x_j + b_V) is W_V Σ_j a_j x_j + b_V Σ_j a_j. So values are never formed: each head takes the mean of the
// inputs through its W_V. Nor are keys where scores are dot products of what the maps give: each head carries its query
// back through its W_K to a probe, and attends over the inputs themselves. C·H·D products instead of C·D².
#include <algorithm>

#include "network/attention/heads_output.h"
#include "network/attention/position_bias.h"
#include "network/attention/projection.h"
#include "network/attention/sink.h"
#include "network/attention/weight_totals.h"
#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

// Whether no key has to be formed.
bool uses_probes(const BlockConfig& config) {
  const bool shift_matters = config.biases && config.normalizer != Normalizer::softmax;
  return config.scored() && config.scores == ScoreForm::dot && !config.rotary && !config.qk_norm && !shift_matters;
}

class LastQuery final : public Layer {
 public:
  LastQuery(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& address,
            const Residual& residual, const Stream& input, const Stream& output)
      : input_(input),
        output_(output),
        probing_(uses_probes(config)),
        heads_(config.heads),
        key_width_(config.key_width),
        shape_{config.heads,
               input.positions,
               output.first,
               probing_ ? input.features : config.key_width,
               input.features,
               true,
               config.scale,
               config.mask,
               config.scores,
               config.normalizer,
               config.scored() && !probing_},
        bias_(layout, config.position_bias, block, config.heads, input.positions) {
    const int d = input.features, wide = config.heads * d, weights = config.heads * input.positions;
    if (config.scored()) query_ = Projection(layout, config, block, "Q", input, output.first);
    if (probing_) {
      key_ = LinearMap(layout, block + "W_K", config.bias_name(block + "b_K"), config.heads * config.key_width, d,
                       config.start, config.sums);
      probes_ = layout.rows(wide);
      dprobes_ = layout.rows(wide);
    } else if (config.scored()) {
      keys_ = Projection(layout, config, block, "K", input, 0);
    }
    value_ = LinearMap(layout, block + "W_V", config.bias_name(block + "b_V"), d, d, config.start, config.sums);
    sink_ = Sink(layout, config, block);
    if (config.biases && !config.sums_to_one()) totals_ = WeightTotals(layout, config.heads);
    pattern_ = layout.named_rows(address + "pattern", weights);
    if (config.keep_scores) scores_ = layout.named_rows(address + "scores", weights);
    means_ = layout.rows(wide);
    dmeans_ = layout.rows(wide);
    out_ = HeadsOutput(layout, config, block, residual, input, output);
    scratch_ = layout.rows(heads_scratch_rows(shape_));
  }

  void forward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes(), value_width = d / heads_;
    const float* x = pass.row(input_.value);
    if (scored()) query_.forward(pass);  // q = W_Q x + b_Q
    for (int h = 0; probing_ && h < heads_; ++h)
      key(pass, h).backward_input(query(pass, h), pass.row(probes_, h * d), 1);  // probe = W_Kᵀ q
    if (keyed()) keys_.forward(pass);                                            // k = W_K x + b_K
    heads_forward(shape_, probing_ ? pass.row(probes_) : query_.rows(pass), keyed() ? keys_.rows(pass) : x, x,
                  bias_.table(pass), pass.row(pattern_), pass.row(means_), n, sink_.logits(pass),
                  scores_.count > 0 ? pass.row(scores_) : nullptr);
    totals_.forward(pass, pass.row(pattern_), input_.positions);
    for (int h = 0; h < heads_; ++h) {  // mixed = W_V Σ a x + b_V Σ a
      const LinearMap::Part value = value_.part(pass, h * value_width, value_width);
      float* mixed = out_.mixed(pass) + static_cast<size_t>(h * value_width) * static_cast<size_t>(n);
      (totals_.present() ? value.unbiased() : value).forward(pass.row(means_, h * d), mixed, 1);
      totals_.add_bias(pass, value, h, mixed);
    }
    out_.forward(pass);
  }

  void backward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes(), value_width = d / heads_;
    const float* x = pass.row(input_.value);
    float* dx = pass.row(input_.gradient);
    const float* dmixed = out_.backward(pass);
    // mixed = W_V Σ a x + b_V Σ a
    for (int h = 0; h < heads_; ++h) {
      const LinearMap::Part value = value_.part(pass, h * value_width, value_width);
      const float* d_o = dmixed + static_cast<size_t>(h * value_width) * static_cast<size_t>(n);
      (totals_.present() ? value.unbiased() : value).backward_weights(d_o, pass.row(means_, h * d), 1);
      value.backward_input(d_o, pass.row(dmeans_, h * d), 1);
      totals_.backward(pass, value, h, d_o);
    }
    // means = Σ_j a_j x_j, a = softmax(probe·x_j/√K + bias)
    std::fill_n(dx, static_cast<size_t>(input_.value.count) * static_cast<size_t>(n), 0.0f);
    heads_backward(shape_, probing_ ? pass.row(probes_) : query_.rows(pass), keyed() ? keys_.rows(pass) : x, x,
                   pass.row(pattern_), pass.row(dmeans_), probing_ ? pass.row(dprobes_) : query_.gradient(pass),
                   keyed() ? keys_.gradient(pass) : dx, dx, bias_.gradient(pass), pass.row(scratch_), n,
                   sink_.gradient(pass), totals_.gradient(pass));
    bias_.backward(pass);
    if (keyed()) keys_.backward(pass, true);        // k = W_K x + b_K
    for (int h = 0; probing_ && h < heads_; ++h) {  // probe = W_Kᵀ q
      const float* dprobe = pass.row(dprobes_, h * d);
      key(pass, h).backward_weights(query(pass, h), dprobe, 1);
      key(pass, h).forward(dprobe, of_head(pass, query_.gradient(pass), h), 1);
    }
    if (scored()) query_.backward(pass, true);  // q = W_Q x + b_Q
    out_.backward_input(pass);
  }

 private:
  bool scored() const { return shape_.scale != 0; }
  bool keyed() const { return shape_.own_keys; }  // keys are formed
  LinearMap::Part key(const Pass& pass, int h) const { return key_.part(pass, h * key_width_, key_width_).unbiased(); }
  const float* query(const Pass& pass, int h) const { return of_head(pass, query_.rows(pass), h); }
  template <class Float>
  Float* of_head(const Pass& pass, Float* rows, int h) const {
    return rows + static_cast<size_t>(h * key_width_) * static_cast<size_t>(pass.lanes());
  }

  Stream input_, output_;
  bool probing_;
  int heads_, key_width_;
  HeadsShape shape_;
  PositionBias bias_;
  Projection query_, keys_;
  LinearMap key_, value_;
  Sink sink_;
  WeightTotals totals_;
  HeadsOutput out_;
  Rows probes_, dprobes_;  // [H][D]
  Rows means_, dmeans_;    // [H][D]
  Rows pattern_, scores_;  // [H][C]
  Rows scratch_;
};

}  // namespace

std::unique_ptr<Layer> make_last_query(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                       const Stream& input, const Stream& output) {
  const std::string number = std::to_string(index);
  return std::make_unique<LastQuery>(layout, config, "blocks." + number + ".attn.", "layer." + number + ".attention.",
                                     residual, input, output);
}

}  // namespace atto
