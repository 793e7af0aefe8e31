// How long what is left of a sweep will take, and how that is known.
#pragma once

#include "lab/sweep/forecast.h"

namespace atto {

struct TimeForecast {
  enum class Basis {
    nothing_left,  // it takes no time
    stored,        // runs of the study in the store: how long they took
    calibrated,    // a moment of training of a run that is left, just now
    none,          // neither could be had
  };
  Basis basis = Basis::nothing_left;
  double seconds = 0;      // with all threads at work
  int64_t stored = 0;      // runs it is based on
  double calibration = 0;  // seconds of training it is based on
};

// Runs differ in cost as estimated_cost() says; their speed is taken from the store, or else from at most
// `calibrate_for` seconds of training (of a run of median cost, whose results are thrown away). A sweep that does not
// fit into memory is not calibrated.
TimeForecast forecast_time(const Study& study, const std::vector<Run>& runs, const Forecast& forecast,
                           const Store* store, double calibrate_for = 0.2);

}  // namespace atto
