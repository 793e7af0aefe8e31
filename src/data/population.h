// All sequences that a task can draw, each with its probability: what an expected loss is the sum over.
#pragma once

#include <optional>
#include <string>

#include "data/sequence_set.h"
#include "data/task.h"

namespace atto {

// How many there are, or nothing where the task cannot list them. `ordered` tells whether the order of tokens that the
// task calls interchangeable makes a difference to whoever reads them; if not, a multiset of them stands for all its
// orders. May be more than any machine could hold.
std::optional<double> population_size(const TaskSpec& task, bool ordered);
std::string sequence_count(double size);  // "10000", "1.2e+20"

// Of a task that can list its sequences. The weight of each is its probability · size, which is 1 where all are equally
// probable and keeps small probabilities clear of the smallest float. What cannot be drawn is left out where the
// task says how much that is.
SequenceSet list_population(const Task& task, bool ordered);

}  // namespace atto
