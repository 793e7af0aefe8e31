// A task described from its sizes alone: everything that can be told without making its tables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/config.h"

namespace atto {

// A loss to compare with: "best" is the lowest any predictor can reach, "guess" what a network gets that knows which
// tokens are in the context but not which of them is asked for.
struct ReferenceLoss {
  std::string name;
  double loss;  // in nats
};

// What a task draws for one sequence, where every possible draw can be listed.
struct Listing {
  int tokens = 0;  // how many; each may be any of the ordinary ones
  // The first so many may change places: that changes neither their probability nor any answer.
  int interchangeable = 0;
  bool equal = false;                   // all draws are equally probable
  int kinds = 0;                        // how many ordinary tokens can be drawn, where some cannot; 0: all
  std::optional<double> possible = {};  // how many draws have a probability above 0, where tokens depend on each other
  // The answers are distributions of the next token: a target is the row of Task::distributions() that holds it.
  bool soft = false;
};

// Sequences that a task holds itself, as a table from a file does.
struct OwnRows {
  int64_t train = 0, test = 0;
  bool equal = true;  // all of the training part weigh the same
};

struct TaskSpec {
  BatchShape shape;
  bool bos = false;                       // a [BOS] token, number shape.vocabulary - 1, opens every sequence
  bool relevant = false;                  // fill() says which positions hold what the last query needs
  bool asks_map = false;                  // the answer is a linear map of a vector, Task::target()
  std::optional<Listing> listing;         // nothing where its sequences cannot be listed (data/population.h)
  std::optional<OwnRows> rows;            // where its sequences are given and not drawn
  std::vector<ReferenceLoss> references;  // none where it takes the tables to tell; Task::references() has them then
  size_t bytes = 0;                       // of its tables, where they are large next to a network
  size_t building = 0;                    // what it takes for a moment to make them, their own bytes included

  bool last_only() const { return shape.asked() == 1; }  // asks at the last position alone
  // Kinds of token that can be drawn: [BOS] is not one of them.
  int ordinary_tokens() const { return shape.vocabulary - (bos ? 1 : 0); }
  // For tasks that ask for the next token: how many tokens are drawn.
  int drawn() const { return bos ? shape.context : shape.context + 1; }
};

class Task;
class SequenceSet;

// What a task's file says of it; data/tasks/registry.cpp has the list.
struct TaskKind {
  std::vector<std::string> sizes;  // the settings that a caption names: how large it is
  bool repeats = false;            // knows data.repeat, data.cross and data.schedule
  // Throws Error(config) where the settings do not fit the task.
  TaskSpec (*describe)(const DataConfig& config) = nullptr;
  // Of a described configuration. `seed` draws what stays the same throughout a run, such as the map that regression
  // asks for.
  std::unique_ptr<Task> (*make)(const DataConfig& config, const TaskSpec& spec, uint64_t seed) = nullptr;
  // Settings that not every task has, and this one does: set for a task without them, they are refused.
  std::vector<std::string> settings = {};
  // Settings that it can be tried with, and their values, where the defaults do not fit it.
  std::vector<std::pair<std::string, std::string>> example = {};
};

const TaskKind& task_kind(const DataConfig& config);
std::vector<std::string> task_names();
// The tasks that have a setting, of those that not every task has; empty where all do.
std::vector<std::string> tasks_with(const std::string& key);

// Validates the settings `data.*` and describes the task they ask for. Throws Error(config).
TaskSpec describe_task(const DataConfig& config);

// For describe(): a task on tokens that asks at position `first_asked` and all later ones. Refuses a context no batch
// is drawn for, and a [BOS] token (`bos`: the task may have one) where there is none.
enum class Bos { never, if_asked };
TaskSpec describe_tokens(const DataConfig& config, int first_asked, Bos bos = Bos::never);
void check_context(const DataConfig& config);
// For tasks whose tokens are not independent draws: refuses data.exponent.
void refuse_exponent(const DataConfig& config);
// For tasks whose tokens are: what can be told of all draws of so many. Refuses data.frequencies that do not fit.
Listing list_independent(const DataConfig& config, int tokens, int interchangeable = 0);
// Probabilities of a setting: none below 0, and their sum is 1. Throws Error(config).
void check_distribution(const std::string& key, const std::vector<double>& probabilities);
std::vector<double> normalised(std::vector<double> probabilities);  // divided by their sum

// For tasks whose answer is one of the C-1 earlier tokens:
// best    0
// guess   perplexity C-1: each of the earlier tokens is given 1/(C-1). It is V where there are more places than tokens.
// narrow  perplexity (C-2)/(C-1)·V, published as that of a guess. It is not: it grows with V. It is about what narrow
//         networks reach, which cannot give several tokens of their context a high probability and all others a low
//         one.
std::vector<ReferenceLoss> earlier_token_losses(const BatchShape& shape);

}  // namespace atto
