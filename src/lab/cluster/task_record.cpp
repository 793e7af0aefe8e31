#include "lab/cluster/task_record.h"

#include <chrono>

#include "base/error.h"
#include "lab/cluster/shared_file.h"
#include "lab/results/json.h"

namespace atto {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<TaskRecord> read_record(const JobFolder& folder, int64_t task) {
  try {
    const std::optional<Json> json = try_parse_json(text_of_file(folder.task(task)));
    if (!json) return std::nullopt;
    TaskRecord record;
    record.state = from_word<TaskState>(json->at("state").get<std::string>());
    record.host = json->at("host").get<std::string>();
    record.job = json->at("job").get<std::string>();
    record.attempt = json->at("attempt").get<int64_t>();
    record.pack = json->at("pack").get<int64_t>();
    record.pack_runs = json->at("pack_runs").get<int64_t>();
    record.pack_share = json->at("pack_share").get<double>();
    record.seconds = json->at("seconds").get<double>();
    record.cost = json->at("cost").get<double>();
    record.updated = json->at("updated").get<double>();
    record.message = json->at("message").get<std::string>();
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_record(const JobFolder& folder, int64_t task, TaskRecord record) {
  record.updated = seconds_since_1970();
  publish_text(folder.task(task), json_text({{"state", to_word(record.state)},
                                             {"host", record.host},
                                             {"job", record.job},
                                             {"attempt", record.attempt},
                                             {"pack", record.pack},
                                             {"pack_runs", record.pack_runs},
                                             {"pack_share", record.pack_share},
                                             {"seconds", record.seconds},
                                             {"cost", record.cost},
                                             {"updated", record.updated},
                                             {"message", record.message}}));
}

}  // namespace atto
