// The "x +" of x + f(norm(x)), which a layer carries out beside its f.
#pragma once

#include "network/layer.h"

namespace atto {

class Residual {
 public:
  Residual() = default;  // none
  // `stream` is x; a layer that answers at fewer positions takes the last ones of it.
  explicit Residual(const Stream& stream) : present_(true), stream_(stream) {}

  bool present() const { return present_; }

  // output = x, for f to be added to.
  void forward(const Pass& pass, const Stream& output) const;
  // dx from doutput. When f reads x itself (`input` is the same stream), f has written its part of dx and this adds;
  // when a norm stands between, this writes and the norm will add.
  void backward(const Pass& pass, const Stream& output, const Stream& input) const;

 private:
  bool present_ = false;
  Stream stream_;
};

}  // namespace atto
