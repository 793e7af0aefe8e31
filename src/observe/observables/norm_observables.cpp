// How large the gradient of each matrix is, and how far the next update moves it.
//
// Both belong to the moment before the update: the gradient is that of the step's batch, and the update is what the
// optimizer makes of it, with its rate, clipping, weight decay and whatever is frozen. Nothing moves to measure it.
#include <cmath>

#include "network/matrix_names.h"
#include "observe/observable.h"

namespace atto {
namespace {

// An update more than training takes; Muon's costs as much as a step of a small network.
constexpr int64_t kUpdatePoints = 30;

double euclidean_norm(std::span<const float> values) {
  double square = 0;
  for (const float one : values) square += static_cast<double>(one) * one;
  return std::sqrt(square);
}

Observable gradient_norm(const Matrix& matrix, const std::string& address) {
  return {address + ".gradient_norm",
          "Euclidean norm of the gradient of " + matrix.name,
          {},
          [offset = matrix.offset, size = matrix.size()](const NetworkMoment& moment, double* out) {
            *out = euclidean_norm(moment.trainer.gradients().subspan(offset, size));
          }};
}

Observable update_norm(const Matrix& matrix, const std::string& address) {
  return {address + ".update_norm",
          "Euclidean norm of what the next update adds to " + matrix.name,
          {},
          [offset = matrix.offset, size = matrix.size()](const NetworkMoment& moment, double* out) {
            *out = euclidean_norm(moment.probes.next_update().subspan(offset, size));
          },
          kUpdatePoints,
          ProbeKind::update};
}

}  // namespace

void offer_norms(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  offers.push_back(
      {"update.norm",
       "Euclidean norm of the whole next update",
       {},
       [](const NetworkMoment& moment, double* out) { *out = euclidean_norm(moment.probes.next_update()); },
       kUpdatePoints,
       ProbeKind::update});
  std::vector<Observable> aliases;
  for (const Matrix& matrix : spec.matrices()) {
    const std::string plain = plain_address(matrix.name);
    const std::string& address = plain.empty() ? matrix.name : plain;
    offers.push_back(gradient_norm(matrix, address));
    offers.push_back(update_norm(matrix, address));
    if (plain.empty()) continue;
    aliases.push_back(gradient_norm(matrix, matrix.name));
    aliases.push_back(update_norm(matrix, matrix.name));
  }
  for (Observable& alias : aliases) {
    alias.alias = true;
    offers.push_back(std::move(alias));
  }
}

}  // namespace atto
