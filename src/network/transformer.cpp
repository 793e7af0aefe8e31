// A stack of attention, MLPs and linear maps over tokens or vectors.
//
// From the last attention on, everything is computed at the asked positions alone. When that is one, that attention
// forms no values and mostly no keys, and norms, MLPs and read-out cost one position each.
#include "network/assembly.h"
#include "network/layers/blocks.h"
#include "network/layers/layers.h"
#include "network/parts.h"
#include "network/stack.h"

namespace atto {

BlockConfig::BlockConfig(const NetworkConfig& config)
    : heads(static_cast<int>(config.heads)),
      key_width(static_cast<int>(config.head_width > 0 ? config.head_width : config.width / config.heads)),
      scores(attention_form(config).in_blocks.value_or(ScoreForm::dot)),
      scale(attention_form(config).in_blocks ? static_cast<float>(attention_form(config).scale(config, key_width)) : 0),
      normalizer(config.normalizer),
      rotary(config.positions == PositionKind::rotary),
      qk_norm(config.qk_norm),
      gate(config.gate),
      output(config.output),
      biases(config.biases),
      mlp_factor(static_cast<int>(config.mlp_factor)),
      position_bias(config.position_bias),
      mask(attention_mask(config)),
      start(config) {}

namespace {

class Builder {
 public:
  Builder(Layout& layout, const NetworkConfig& config, const BatchShape& shape, Keep keep)
      : layout_(layout),
        config_(config),
        block_(config),
        make_mlp_(mlp_maker(config)),
        shape_(shape),
        width_(static_cast<int>(config.width)) {
    block_.keep_scores = keep == Keep::scores;
  }

  Assembly build() {
    const std::vector<int> mixing = attention_blocks(config_);
    Stream x = embed();
    if (mixing.empty()) x = asked(x);
    for (const StackPart& part : stack_of(config_)) {
      switch (part.kind) {
        case PartKind::attention:
          x = attend(part.block, x, part.block == mixing.back() ? shape_.first_asked : 0);
          break;
        case PartKind::mlp:
          x = transform(make_mlp_, block_name(part.block) + "ln2", block_name(part.block) + "mlp.", x);
          break;
        case PartKind::linear:
          x = transform(make_linear, block_name(part.block) + "ln3", block_name(part.block) + "linear.", x);
          break;
      }
    }
    read_out(normed("ln_final", x, false));
    return std::move(assembly_);
  }

 private:
  Stream embed() {
    const Stream x = layout_.stream(0, shape_.context, width_);
    if (shape_.vectors()) {
      assembly_.layers.push_back(make_input_map(layout_, block_, shape_.inputs, x));
    } else {
      table_ = layout_.matrix("W_E", shape_.vocabulary, width_, block_.start.embedding(width_), Layout::Sums::plain);
      assembly_.layers.push_back(make_embedding(table_, x));
    }
    add_positions(layout_, config_, x, assembly_);
    return x;
  }

  // x itself where there are no norms. `beside` says that a residual branch writes the gradient of x first.
  Stream normed(const std::string& name, const Stream& x, bool beside) {
    if (config_.norm == NormKind::none) return x;
    const Stream y = layout_.stream(x.first, x.positions, x.features);
    assembly_.layers.push_back(make_norm(layout_, name, x, y, beside));
    return y;
  }

  Stream attend(int index, const Stream& x, int first_asked) {
    const Stream input = normed(block_name(index) + "ln1", x, config_.residual);
    const Stream output = layout_.stream(first_asked, shape_.context - first_asked, width_);
    const auto make = output.positions == 1 ? make_last_query : make_heads;
    assembly_.layers.push_back(make(layout_, block_, index, residual(x), input, output));
    return output;
  }

  // A part that does the same at every position; its matrices' names begin with `prefix`.
  Stream transform(MakeMlp make, const std::string& norm, const std::string& prefix, const Stream& x) {
    const Stream input = normed(norm, x, config_.residual);
    const Stream output = layout_.stream(x.first, x.positions, width_);
    assembly_.layers.push_back(make(layout_, block_, prefix, residual(x), input, output));
    return output;
  }

  // What is left of x where only the asked positions count.
  Stream asked(const Stream& x) {
    if (shape_.first_asked == x.first) return x;
    assembly_.layers.push_back(make_from_position(x, shape_.first_asked));
    return from_position(x, shape_.first_asked);
  }

  void read_out(const Stream& x) {
    const bool tied = !shape_.vectors() && config_.unembedding == Tying::tied;
    const int outputs = shape_.vectors() ? shape_.outputs : shape_.vocabulary;
    const Stream y = layout_.named_stream("output", x.first, x.positions, outputs);
    assembly_.layers.push_back(make_readout(layout_, block_, tied ? &table_ : nullptr, x, y));
    assembly_.loss = shape_.vectors() ? make_squared_error(y) : make_cross_entropy(y);
  }

  Residual residual(const Stream& x) const { return config_.residual ? Residual(x) : Residual(); }
  static std::string block_name(int index) { return "blocks." + std::to_string(index) + "."; }

  Layout& layout_;
  const NetworkConfig& config_;
  BlockConfig block_;
  MakeMlp make_mlp_;  // nullptr: there is none
  BatchShape shape_;
  int width_;
  Matrix table_;  // of tokens
  Assembly assembly_;
};

}  // namespace

Assembly assemble_transformer(Layout& layout, const NetworkConfig& config, const BatchShape& shape, Keep keep) {
  return Builder(layout, config, shape, keep).build();
}

}  // namespace atto
