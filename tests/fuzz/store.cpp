// Stores of others: bytes changed anywhere in the file or its log, and rows of any content with right checksums. A
// store is refused or read, a check finds its way through it, and what a repair leaves is whole.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.h"
#include "lab/store/check/check.h"
#include "lab/store/row.h"
#include "lab/store/schema.h"
#include "lab/store/store.h"

namespace atto::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr std::array kParts = {"", "-wal"};

Recording recording(double number) {
  Recording recording;
  recording.steps_done = 100;
  recording.series.push_back({"perplexity", {}, {0, 50, 100}, {number, INFINITY, NAN}});
  recording.series.push_back({"embedding", {4, 2}, {0, 100}, std::vector<double>(16, number)});
  recording.weights.push_back({"W_E", 4, 2, std::vector<float>(8, 0.5f)});
  return recording;
}

// Everything there can be in a store. What follows changes copies of it.
class Sample {
 public:
  Sample() {
    folder_ = fs::temp_directory_path() / ("atto-fuzz-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    {
      Store store(path(), Store::Mode::write);
      store.save({{"run1", "{}", 1, 1, recording(1), 0.25}, {"run2", "{}", 2, 2, recording(2), 0.25}});
      store.save_questions({{"study", "quick", "C1", 0, "0123456789abcdef", "{}", 0}});
    }
    Store store(path(), Store::Mode::write);
    store.save({{"run3", "{}", 3, 3, recording(3), 0.25}});
    store.save_membership("study", "quick", {{"", "", "{}", 0, "run1"}, {"", "", "{}", 1, "run3"}});
    store.save_verdicts("study", "quick", R"([{"verdict": "supported"}])");
    store.save_checkpoint("run4", {{64, 3, {1.5f, 2}, {3}, {0.5}}, {1, 2, 3}}, 1);
    for (const char* part : kParts) {  // while it is open, so that there is a log
      std::ifstream file(path() + part, std::ios::binary);
      whole[part] = {std::istreambuf_iterator<char>(file), {}};
    }
  }
  ~Sample() { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "store.db").string(); }
  void put(std::map<std::string, std::string> bytes) const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const auto& [part, content] : bytes) std::ofstream(path() + part, std::ios::binary) << content;
  }

  std::map<std::string, std::string> whole;  // by part

 private:
  fs::path folder_;
};

void read_all(const std::string& path) {
  const Store store(path, Store::Mode::read);
  may_refuse([&] { store.content_digest(); });
  may_refuse([&] {
    for (const RunSummary& run : store.runs()) {
      may_refuse([&] { store.load(run.id); });
      may_refuse([&] { store.load(run.id, {"perplexity"}); });
    }
  });
  may_refuse([&] { store.has("run1"); });
  may_refuse([&] { store.membership("study"); });
  may_refuse([&] { store.verdicts(); });
  may_refuse([&] { store.questions("study"); });
  may_refuse([&] { store.checkpoint("run4"); });
  may_refuse([&] { store.checkpoint_steps(); });
  may_refuse([&] { store.outdated(); });
  may_refuse([&] { store.label(); });
}

// A row of any table whose columns are any values, and whose checksum is right.
void forge_row(SQLite::Database& database, Input& input) {
  const auto tables = store_tables();
  const TableSchema& table = tables[input.number(1) % tables.size()];
  SQLite::Statement info(database, "PRAGMA table_info('" + std::string(table.name) + "')");
  int columns = 0;
  while (info.executeStep()) ++columns;
  std::string sql = "INSERT OR REPLACE INTO " + std::string(table.name) + " VALUES (?";
  for (int i = 1; i < columns; ++i) sql += ", ?";
  SQLite::Statement insert(database, sql + ")");
  RowHash hash;
  const bool with_checksum = std::string_view(table.name) != "meta";
  for (int i = 1; i <= columns - (with_checksum ? 1 : 0); ++i) {
    const uint64_t kind = input.number(1);
    if (kind % 5 == 0) {
      hash.add('n', nullptr, 0);
    } else if (kind % 5 == 1) {
      const auto value = static_cast<int64_t>(input.number(kind & 128 ? 8 : 1));
      hash.add('i', &value, sizeof value);
      insert.bind(i, value);
    } else if (kind % 5 == 2) {
      const double value = static_cast<double>(input.number(4)) / 16;
      hash.add('f', &value, sizeof value);
      insert.bind(i, value);
    } else {
      const std::string value = input.text(input.number(1));
      hash.add(kind % 5 == 3 ? 't' : 'b', value.data(), value.size());
      if (kind % 5 == 3) insert.bind(i, value);
      else insert.bind(i, value.data(), static_cast<int>(value.size()));
    }
  }
  if (with_checksum) insert.bind(columns, hash.value());
  insert.exec();
}

}  // namespace
}  // namespace atto::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  using namespace atto::fuzz;
  static const Sample sample;
  Input input(data, size);
  const uint64_t kind = input.number(1) % 3;
  std::map<std::string, std::string> bytes = sample.whole;
  if (kind == 0) {  // rows
    sample.put(bytes);
    try {
      SQLite::Database database(sample.path(), SQLite::OPEN_READWRITE);
      while (input.left() > 0) forge_row(database, input);
    } catch (const SQLite::Exception&) {  // SQLite itself refuses the row
    }
  } else {  // bytes of the file, or of its log
    std::string& part = bytes[kParts[kind - 1]];
    for (int changes = 0; input.left() > 0 && changes < 64; ++changes) {
      const size_t at = input.number(3) % part.size();
      part[at] = static_cast<char>(input.number(1));
    }
    sample.put(bytes);
  }
  may_refuse([&] { read_all(sample.path()); });
  may_refuse([&] {
    check_store(sample.path());
    repair_store(sample.path());
    require(check_store(sample.path()).whole(), "a store is whole after its repair");
    Store(sample.path(), Store::Mode::write);
  });
  return 0;
}
