// The write-ahead log beside a store, read without SQLite. Internal to the store.
//
// SQLite takes from a log what it can read and passes over the rest in silence, since a write that was cut off looks
// like that. So does a flipped bit, and it costs every transaction after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace atto {

std::string log_path(const std::string& store_path);
bool has_log(const std::string& store_path);  // one with something in it

struct LogDamage {
  int64_t usable_frames = 0;  // pages that SQLite takes over
  int64_t lost_frames = 0;    // complete ones behind them that belong to the same log
};

// What of the log SQLite would pass over although it was written completely, or nothing. Pages that only a stopped
// transaction wrote, or that an earlier use of the file left behind, are no damage. Ask when nobody writes.
std::optional<LogDamage> find_log_damage(const std::string& store_path);

}  // namespace atto
