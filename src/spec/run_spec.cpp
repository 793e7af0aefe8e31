#include "spec/run_spec.h"

#include <algorithm>

#include "network/stack.h"
#include "spec/describe.h"
#include "theory/flow_model.h"
#include "theory/hops_flow_model.h"
#include "theory/scores_model.h"
#include "training/attention_model.h"
#include "training/optimizers/optimizer.h"

namespace atto {

RunSpec::RunSpec(const RunConfig& config) : config_(config), parts_(describe_run(config)) {}

RunSpec RunSpec::with_seeds(const SeedConfig& seeds) const {
  RunSpec spec = *this;
  spec.config_.seeds = seeds;
  return spec;
}

const std::vector<Matrix>& RunSpec::matrices() const {
  return attention() ? attention()->network->matrices() : emergence()->matrices;
}

const Matrix* RunSpec::find(const std::string& name) const {
  for (const Matrix& matrix : matrices())
    if (matrix.name == name) return &matrix;
  return nullptr;
}

size_t RunSpec::parameter_count() const {
  if (attention()) return attention()->network->parameter_count();
  return emergence()->flow ? 0 : ScoresNetwork::parameter_count(emergence()->task);
}

const std::map<std::string, Rows>& RunSpec::activations() const {
  static const std::map<std::string, Rows> none;
  return attention() ? attention()->network->activations() : none;
}

TrainingMemory RunSpec::memory() const {
  TrainingMemory memory;
  memory.parameters = sizeof(float) * parameter_count();
  memory.optimizer = sizeof(float) * optimizer_memory(training(), matrices(), parameter_count());
  memory.total = 2 * memory.parameters + memory.optimizer +  // gradients as well
                 sizeof(float) * optimizer_scratch(training(), matrices());
  if (const AttentionSpec* spec = attention()) {
    memory.total += AttentionModel::bytes(spec->task, *spec->network, spec->sets, training());
    memory.building = std::max(spec->task.building, spec->task.bytes + spec->sets.building);
  } else if (emergence()->flow) {
    memory.total += emergence()->hops > 1 ? sizeof(HopsFlowModel) : sizeof(FlowModel);
  } else {
    memory.total += ScoresModel::bytes(emergence()->task, training());
    memory.building = target_drawing_bytes(emergence()->task);
  }
  return memory;
}

namespace {

// Multiplications for one sequence.
double sequence_cost(const NetworkConfig& network, const BatchShape& shape) {
  const double width = static_cast<double>(network.width), context = shape.context, asked = shape.asked();
  const double outputs = shape.vectors() ? shape.outputs : shape.vocabulary;
  const double hidden = static_cast<double>(network.mlp_factor) * width;
  const std::vector<int> mixing = attention_blocks(network);
  double cost = asked * width * outputs, positions = mixing.empty() ? asked : context;
  for (const StackPart& part : stack_of(network)) {
    switch (part.kind) {
      case PartKind::attention:
        if (part.block == mixing.back()) positions = asked;
        // Keys and values of each position; queries, scores and their weighted sum of each asked one.
        cost += 2 * context * width * width + positions * width * (width + 2 * context);
        if (positions == context) cost += context * width * width;
        break;
      case PartKind::mlp:
        cost += positions * 2 * hidden * width;
        break;
      case PartKind::linear:
        cost += positions * width * width;
        break;
    }
  }
  return cost;
}

double step_cost(const EmergenceSpec& spec, const TrainingConfig& training) {
  constexpr double kFlowStep = 100;
  if (spec.flow) return kFlowStep;
  const auto d = static_cast<double>(spec.task.dimension), length = static_cast<double>(spec.task.length);
  const double samples = training.gradient == GradientKind::expected ? 1 : static_cast<double>(training.batch);
  return 4 * samples * d * d + 16 * length;
}

}  // namespace

double RunSpec::cost() const {
  const auto steps = static_cast<double>(training().steps);
  if (emergence()) return steps * step_cost(*emergence(), training());
  return steps * static_cast<double>(attention()->sequences) * sequence_cost(config_.network, attention()->task.shape);
}

}  // namespace atto
