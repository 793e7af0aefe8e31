#include "app/terminal/progress.h"

#include <algorithm>
#include <cmath>

#include "app/terminal/text.h"

namespace atto {
namespace {

constexpr double kSecondsBetweenLines = 5;

std::string counts(const Progress& progress) {
  return count_text(progress.cached + progress.done) + "/" + count_text(progress.total, "run");
}

std::string details(const Progress& progress, const std::string& separator) {
  std::string text;
  if (progress.cached > 0) text += separator + count_text(progress.cached) + " cached";
  if (progress.diverged > 0) text += separator + count_text(progress.diverged) + " diverged";
  if (progress.seconds > 0 && progress.done > 0)
    text += separator + number_text(std::round(10 * static_cast<double>(progress.done) / progress.seconds) / 10) +
            " runs/s";
  const double left = progress.seconds * (1 - progress.steps_fraction) / progress.steps_fraction;
  if (progress.steps_fraction > 0 && progress.steps_fraction < 1) text += separator + duration_text(left) + " left";
  return text;
}

// ", 0.05 from its end": how far the estimate is from the nearest end of the region.
std::string distance_text(const ClaimResult& one) {
  if (!one.verdict.estimate || !std::isfinite(*one.verdict.estimate)) return "";
  double nearest = INFINITY;
  for (const double end : {one.claim.low, one.claim.high})
    if (std::isfinite(end)) nearest = std::min(nearest, std::abs(*one.verdict.estimate - end));
  return std::isfinite(nearest) ? ", " + short_text(nearest) + " from its end" : "";
}

}  // namespace

std::string progress_bar(const std::string& study, const Progress& progress, size_t width) {
  const std::string tail = " " + counts(progress) + details(progress, " · ");
  const size_t taken = text_width(study) + 1 + text_width(tail);
  if (taken + 5 > width) return cut(study + tail, width);
  const size_t length = std::min<size_t>(width - taken, 40);
  const double share = std::clamp(progress.steps_fraction, 0.0, 1.0);
  const auto full = static_cast<size_t>(share * static_cast<double>(length));
  std::string bar;
  for (size_t i = 0; i < length; ++i) bar += i < full ? "━" : "─";
  return study + " " + bar + tail;
}

std::string progress_line(const std::string& study, const Progress& progress) {
  return study + ": " + counts(progress) + details(progress, ", ");
}

// Why it is open, next to what would decide it: "undecidable" by the seeds that it has.
std::string open_text(OpenReason reason) {
  return reason == OpenReason::undecidable ? "too few seeds for a decision" : to_word(reason);
}

std::string look_text(const std::string& study, const Look& look) {
  const auto open = std::ssize(look.open), all = std::ssize(look.result.claims);
  std::string text = study + ": look " + std::to_string(look.look) + " of at most " + std::to_string(look.looks) + ": ";
  if (open == 0) text += "no claim is open";
  else text += count_text(open) + " of " + count_text(all, "claim") + (open == 1 ? " is open" : " are open");
  if (look.next_runs > 0) text += "; " + count_text(look.next_runs, "more run") + (open == 1 ? " for it" : " for them");
  else if (open > 0) text += "; the budget is spent";
  for (size_t i = 0; i < look.open.size(); ++i) {
    const ClaimResult& one = *look.open[i];
    const Verdict& verdict = one.verdict;
    text += "\n  " + one.claim.id + ": " + estimate_text(verdict) + " against " + region_text(one.claim) +
            distance_text(one) + ", " + open_text(verdict.reason);
    if (!verdict.needed || !std::isfinite(*verdict.needed)) continue;
    text += ", about " + number_text(std::round(10 * *verdict.needed) / 10) + " times its seeds";
    if (i < look.seconds.size() && look.seconds[i]) text += " (" + duration_text(*look.seconds[i]) + " more)";
    text += " would decide it";
  }
  return text;
}

void ProgressDisplay::look(const Look& look) {
  end();
  out_ << look_text(study_, look) << std::endl;
}

void ProgressDisplay::begin(std::string study) {
  study_ = std::move(study);
  drawn_ = spoke_of_first_ = false;
  spoke_at_ = 0;
}

void ProgressDisplay::update(const Progress& progress) {
  if (progress.total == progress.cached) return;
  if (terminal_.interactive) {
    out_ << "\r" << progress_bar(study_, progress, terminal_.width - 1) << "\x1b[K" << std::flush;
    drawn_ = true;
    return;
  }
  const bool first = progress.done > 0 && !spoke_of_first_;
  if (!first && progress.seconds - spoke_at_ < kSecondsBetweenLines) return;
  spoke_of_first_ = spoke_of_first_ || first;
  spoke_at_ = progress.seconds;
  out_ << progress_line(study_, progress) << std::endl;
}

void ProgressDisplay::end() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void ProgressDisplay::end(const Progress& progress) {
  end();
  out_ << study_ << ": trained " << count_text(progress.done, "run");
  if (progress.done > 0) out_ << " in " << duration_text(progress.seconds);
  if (progress.resumed > 0) out_ << ", " << count_text(progress.resumed) << " from a checkpoint";
  if (progress.cached > 0) out_ << ", " << count_text(progress.cached) << " were in the store";
  out_ << std::endl;
}

}  // namespace atto
