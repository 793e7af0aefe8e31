// What observables look at, drawn or computed when one first asks and kept for the others of the same step.
#pragma once

#include <memory>
#include <optional>

#include "observe/answers.h"
#include "observe/probe.h"
#include "observe/response.h"
#include "spec/live_run.h"

namespace atto {

// few: a group of lanes, enough for maps and for a cheap mean. many: enough for statistics by token, 256 sequences,
// fewer (a multiple of 16) when they are long. response: of a network trained on regression. answers: to the test data.
enum class ProbeKind { none, few, many, response, answers };

class NetworkProbes {
 public:
  static constexpr int kShown = 5;  // sequences whose maps are recorded

  explicit NetworkProbes(LiveRun& run) : run_(&run) {}

  Probe& few() { return get(few_, ProbeKind::few); }
  Probe& many() { return get(many_, ProbeKind::many); }
  const Response& response();
  const Answers& answers();
  // The loss on test data.
  BatchResult test() { return run_->trainer().test(); }

  static size_t bytes(const RunSpec& spec, ProbeKind kind);  // that one takes

 private:
  Probe& get(std::unique_ptr<Probe>& kept, ProbeKind kind);

  LiveRun* run_;
  std::unique_ptr<Probe> few_, many_;
  std::unique_ptr<ResponseProbe> response_;
  std::unique_ptr<AnswersProbe> answers_;
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
