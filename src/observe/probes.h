// What observables look at, drawn or computed when one first asks and kept for the others of the same step.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "observe/answers.h"
#include "observe/probe.h"
#include "observe/response.h"
#include "spec/live_run.h"

namespace atto {

// few: a group of lanes, enough for maps and for a cheap mean. many: enough for statistics by token, 256 sequences,
// fewer (a multiple of 16) when they are long. response: of a network trained on regression. answers: to the test data.
// update: the next one. scores: as many, by a twin of the network that keeps the scores of attention.
enum class ProbeKind { none, few, many, response, answers, update, scores };

class NetworkProbes {
 public:
  static constexpr int kShown = 5;  // sequences whose maps are recorded

  explicit NetworkProbes(LiveRun& run) : run_(&run) {}

  Probe& few() { return get(few_, ProbeKind::few); }
  Probe& many() { return get(many_, ProbeKind::many); }
  Probe& scores() { return get(scores_, ProbeKind::scores); }
  const Response& response();
  const Answers& answers();
  // What the next update adds to the parameters, in their layout.
  std::span<const float> next_update();
  // The loss on test data.
  BatchResult test() { return run_->trainer().test(); }

  static size_t bytes(const RunSpec& spec, ProbeKind kind);  // that one takes

 private:
  Probe& get(std::unique_ptr<Probe>& kept, ProbeKind kind);

  LiveRun* run_;
  std::unique_ptr<Probe> few_, many_, scores_;
  std::unique_ptr<ResponseProbe> response_;
  std::unique_ptr<AnswersProbe> answers_;
  std::vector<float> update_;
  std::optional<int64_t> update_of_;  // the step it belongs to
};

class EmergenceProbe {
 public:
  explicit EmergenceProbe(const LiveRun& run) : run_(&run) {}

  const EmergenceMeasures& now();

 private:
  const LiveRun* run_;
  EmergenceMeasures measures_;
  std::optional<int64_t> fresh_at_;  // the step they belong to
};

}  // namespace atto
