// How long the embeddings of tokens are.
#include <cmath>

#include "observe/observable.h"

namespace atto {

// `embedding.norm`: the mean Euclidean length of the rows of W_E.
void offer_embedding_norm(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;  // this is for networks of attention ...
  const Matrix* found = spec.find("W_E");
  if (found == nullptr) return;  // ... that have tokens to embed
  const Matrix table = *found;   // a copy: offers outlive the spec
  offers.push_back(
      {"embedding.norm", "mean length of the token embeddings", {}, [table](const NetworkMoment& moment, double* out) {
         const auto weights = moment.trainer.parameters().subspan(table.offset, table.size());
         const auto columns = static_cast<size_t>(table.columns);
         double sum = 0;
         for (size_t row = 0; row < weights.size(); row += columns) {
           double square = 0;
           for (const float w : weights.subspan(row, columns)) square += static_cast<double>(w) * w;
           sum += std::sqrt(square);
         }
         *out = sum / table.rows;
       }});
}

}  // namespace atto
