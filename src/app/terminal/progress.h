// How far the training is: one line redrawn on a terminal, a plain line now and then elsewhere.
#pragma once

#include <ostream>
#include <string>

#include "app/terminal/terminal.h"
#include "lab/results/decide.h"
#include "lab/sweep/scheduler.h"

namespace atto {

// "sticky-plateau ━━━━━━────── 41/96 runs · 12 cached · 8.1 runs/s · 7 s left", at most `width` columns.
std::string progress_bar(const std::string& study, const Progress& progress, size_t width);
// The same in words, for logs: "sticky-plateau: 41/96 runs, 12 cached, 8.1 runs/s, 7 s left".
std::string progress_line(const std::string& study, const Progress& progress);

// "sticky-plateau: look 2 of 7 decided 9 of 14 claims; 96 more runs for the others", and a line for each of these:
// "  S1.1-v4-final: 0.55 [0.49, 0.61] against [0.5, 1], 0.05 from its end, budget, about 1.4 times its seeds (40 s
// more) would decide it".
std::string look_text(const std::string& study, const Look& look);

class ProgressDisplay {
 public:
  ProgressDisplay(std::ostream& out, Terminal terminal) : out_(out), terminal_(terminal) {}

  void begin(std::string study);
  // Elsewhere than on a terminal it speaks at the first finished run and then every few seconds of the sweep's clock.
  void update(const Progress& progress);
  // What a look has decided, which claims are open, how far from the edge they are, and what deciding them would take.
  void look(const Look& look);
  void end();                          // leaves a clean line behind
  void end(const Progress& progress);  // ... and says what was done

 private:
  std::ostream& out_;
  Terminal terminal_;
  std::string study_;
  bool drawn_ = false, spoke_of_first_ = false;
  double spoke_at_ = 0;
};

}  // namespace atto
