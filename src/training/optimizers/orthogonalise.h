// The nearest matrix whose singular values are all about 1, by Newton's and Schulz's iteration.
#pragma once

#include <cstddef>

namespace atto {

// Floats of scratch that a matrix of this shape needs.
size_t orthogonalise_scratch(int rows, int columns);

// x [rows][columns] = U S Vᵀ becomes U S' Vᵀ with S' of about 0.7 to 1.2: five steps of X ← a X + (b A + c A²) X with
// A = X Xᵀ, from X = x/‖x‖, with the coefficients of Jordan et al. 2024 (Muon), which inflate small singular values
// fastest. The sums have one order, so every instruction set gives the same bits.
void orthogonalise(float* x, int rows, int columns, float* scratch);

}  // namespace atto
