// What follows may need only the last positions of a stream: no rows are copied.
#include <algorithm>

#include "network/layers/blocks.h"

namespace atto {
namespace {

class FromPosition final : public Layer {
 public:
  FromPosition(const Stream& stream, int first) : stream_(stream), first_(first) {}

  void forward(const Pass&) const override {}
  // What comes after has written the gradient of its own positions.
  void backward(const Pass& pass) const override {
    std::fill(pass.row(stream_.gradient), pass.row(stream_.gradient, stream_.row_of(first_)), 0.0f);
  }

 private:
  Stream stream_;
  int first_;
};

}  // namespace

Stream from_position(const Stream& stream, int first) {
  const int skipped = stream.row_of(first);
  const auto rest = [skipped](const Rows& rows) { return Rows{rows.first + skipped, rows.count - skipped}; };
  return {rest(stream.value), rest(stream.gradient), first, stream.positions - (first - stream.first), stream.features};
}

std::unique_ptr<Layer> make_from_position(const Stream& stream, int first) {
  return std::make_unique<FromPosition>(stream, first);
}

}  // namespace atto
