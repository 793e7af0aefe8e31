// The kinds of figure, one file each; registry.cpp lists them.
#pragma once

#include <memory>

#include "lab/figures/figure.h"

namespace atto {

std::unique_ptr<FigureKind> make_attention();
std::unique_ptr<FigureKind> make_curves();
std::unique_ptr<FigureKind> make_distribution();
std::unique_ptr<FigureKind> make_landscape();
std::unique_ptr<FigureKind> make_law();
std::unique_ptr<FigureKind> make_phase();
std::unique_ptr<FigureKind> make_points();
std::unique_ptr<FigureKind> make_summary();
std::unique_ptr<FigureKind> make_trajectories();

}  // namespace atto
