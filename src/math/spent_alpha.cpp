// Half of alpha waits for the last look, and the looks before share the other half equally.
//
// The sum over looks is a union bound. Sharper spending functions (Lan and DeMets 1983, doi:10.1093/biomet/70.3.659)
// need the joint distribution of the statistic at all looks, which a ratio of medians or an exponent of a fit does not
// have. Under a union bound what matters is how thin alpha is spread. Their usual shapes leave a twentieth of alpha or
// less for the last of 64 looks, because they count on neighbouring looks being wrong together. Half of alpha keeps the
// last look strong, where the budget is spent and no more runs come. Equal parts before it serve effects of any size.
// Shapes that rise from almost nothing would also ask for tails that no bootstrap has resamples for. Equal parts ask
// for 0.0018 on each side with 8 looks, which 2,000 resamples just reach, and for 0.0002 with 64 looks, which they do
// not: a bootstrap needs few looks or more resamples.
//
// For a normal statistic, alpha = 0.05, with n the runs of a fixed test of power 0.8 and N the runs of all looks: z of
// the last look, power at N = n, and the median number of runs until a decision relative to n, when N = 2 n and 8 n:
//
//                              8 looks                    64 looks
//                              z     power  2 n   8 n     z     power  2 n   8 n
//     half last, rest equal    2.24  0.72   1.00  2.00    2.24  0.73   1.41  1.50
//     half last, rest ~ look   2.24  0.72   1.25  2.00    2.24  0.72   1.38  1.75
//     all equal                2.73  0.60   1.00  1.00    3.36  0.40   1.25  1.38
//     alpha t^2                2.52  0.66   1.00  2.00    3.17  0.45   1.25  1.62
//     O'Brien-Fleming          2.46  0.68   1.25  2.00    3.12  0.47   1.25  2.12
//
// The first of 8 looks is at N/8 = n, which is why nothing lies between 1 and 2 there.
#include <string>

#include "base/error.h"
#include "math/confidence_sequence.h"

namespace atto {

double spent_alpha(double alpha, int look, int looks) {
  if (!(alpha > 0 && alpha < 1) || look < 1 || look > looks)
    throw Error(ErrorKind::internal, "look " + std::to_string(look) + " of " + std::to_string(looks) +
                                         " cannot spend a part of " + std::to_string(alpha));
  if (looks == 1) return alpha;
  return look == looks ? alpha / 2 : alpha / 2 / (looks - 1);
}

}  // namespace atto
