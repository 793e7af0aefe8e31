// Of which sweep a store is a shard, as its table `meta` says.
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "lab/store/state.h"

namespace atto {

void Store::label(const ShardLabel& wanted) {
  if (const std::optional<ShardLabel> found = label()) {
    if (*found == wanted) return;
    throw Error(ErrorKind::store,
                path() + ": this store is shard " + std::to_string(found->index) + "/" + std::to_string(found->count) +
                    " of " + found->study + " (" + found->profile + ")" +
                    (found->sweep != wanted.sweep && found->study == wanted.study ? ", of another sweep" : ""),
                "each shard needs a store of its own: give --store another path");
  }
  if (has_runs()) return;  // somebody's own store: what the shard adds to it is not all that it holds
  State& state = *state_;
  state.writing([&] {
    const auto note = [&](const char* key, const std::string& value) {
      const StatementUse insert(state.statement("INSERT INTO meta VALUES (?, ?)"));
      insert->bind(1, key);
      insert->bind(2, value);
      insert->exec();
    };
    note("shard.study", wanted.study);
    note("shard.profile", wanted.profile);
    note("shard.sweep", wanted.sweep);
    note("shard.index", std::to_string(wanted.index));
    note("shard.count", std::to_string(wanted.count));
    note("shard.runs", std::to_string(wanted.runs));
  });
}

std::optional<ShardLabel> Store::label() const {
  State& state = *state_;
  return state.reading([&]() -> std::optional<ShardLabel> {
    std::map<std::string, std::string> notes;
    const StatementUse select(state.statement("SELECT key, value FROM meta WHERE key LIKE 'shard.%'"));
    while (select->executeStep()) notes[select->getColumn(0).getString()] = select->getColumn(1).getString();
    if (notes.empty()) return std::nullopt;
    const auto number = [&](const char* key) { return std::strtoll(notes[key].c_str(), nullptr, 10); };
    return ShardLabel{notes["shard.study"],  notes["shard.profile"], notes["shard.sweep"],
                      number("shard.index"), number("shard.count"),  number("shard.runs")};
  });
}

}  // namespace atto
