#include "app/cluster/slurm.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "app/cluster/command.h"
#include "app/terminal/text.h"
#include "base/error.h"
#include "base/names.h"

namespace atto {
namespace {

constexpr const char* kSubmissions = "submitted.txt";
constexpr const char* kDefaultTime = "1:00:00";

CommandOutput ask(const std::vector<std::string>& words) {
  const std::optional<CommandOutput> answer = run_command(words);
  if (!answer)
    throw Error(ErrorKind::missing, "there is no Slurm on this machine: " + words.front() + " is not found",
                "submit from a machine of the cluster, or write the script with --dry-run and take it there");
  return *answer;
}

// The last line, which names the cause, without "sbatch: error: " before it.
std::string complaint(const CommandOutput& answer) {
  const std::vector<std::string> lines = lines_of(answer.err);
  if (lines.empty()) return "exit code " + std::to_string(answer.code);
  std::string text = lines.back();
  if (const size_t at = text.find("error: "); at != std::string::npos) text = text.substr(at + 7);
  return text;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end == text.data() || number < 0) return std::nullopt;
  return number;
}

void require_partition(const std::string& partition) {
  if (partition.empty()) return;
  const CommandOutput found = ask({"sinfo", "--noheader", "--format=%R", "--partition=" + partition});
  if (found.code == 0 && !lines_of(found.out).empty()) return;
  std::vector<std::string> known;
  for (const std::string& one : lines_of(ask({"sinfo", "--noheader", "--format=%R"}).out))
    if (std::find(known.begin(), known.end(), one) == known.end()) known.push_back(one);
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  const std::string near = nearest_name(partition, known);
  throw Error(
      ErrorKind::usage,
      "the cluster has no partition '" + partition + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
      "its partitions are " + list);
}

// Words of ours that stand in a line of the script by themselves: nothing in them may end the line or the word.
const std::string& plain_word(const char* option, const std::string& word) {
  constexpr std::string_view kOther = "_.,@:=/+-%[]*";
  const bool plain = std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOther.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  throw Error(ErrorKind::usage, std::string(option) + " '" + word + "' is no word that Slurm takes",
              "use letters, digits and " + std::string(kOther));
}

// In a file name of sbatch, % begins a pattern.
std::string log_pattern(const std::string& folder) {
  std::string text;
  for (const char c : folder) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text + "/%A_%a.log";
}

}  // namespace

SlurmCluster ask_cluster(const std::string& partition) {
  SlurmCluster cluster;
  const CommandOutput config = ask({"scontrol", "show", "config"});
  if (config.code != 0)
    throw Error(ErrorKind::missing, "Slurm does not answer: " + complaint(config),
                "try `sinfo`; when it works, submit again");
  for (const std::string& line : lines_of(config.out)) {
    const size_t equals = line.find('=');
    if (!line.starts_with("MaxArraySize") || equals == std::string::npos) continue;
    if (const auto size = number_of(line.substr(line.find_first_not_of(' ', equals + 1))))
      cluster.largest_array = *size;
  }
  require_partition(partition);
  std::vector<std::string> words = {"sinfo", "--noheader", "--exact", "--format=%c"};
  if (!partition.empty()) words.push_back("--partition=" + partition);
  for (const std::string& line : lines_of(ask(words).out))
    if (const auto cores = number_of(line))
      cluster.node_cores = static_cast<int>(std::min<int64_t>(*cores, cluster.node_cores.value_or(1 << 20)));
  return cluster;
}

int64_t slurm_seconds(const std::string& time) {
  const auto refuse = [&]() -> int64_t {
    throw Error(ErrorKind::usage, "--time " + time + " is no time limit",
                "write hours, minutes and seconds (2:00:00), days before them (1-12:00:00), or minutes alone (90)");
  };
  const size_t dash = time.find('-');
  std::vector<int64_t> parts;
  std::istringstream rest(dash == std::string::npos ? time : time.substr(dash + 1));
  for (std::string part; std::getline(rest, part, ':');) {
    const auto number = number_of(part);
    if (!number || part.size() != std::to_string(*number).size() + (part.starts_with('0') && part != "0" ? 1 : 0) ||
        *number > 1'000'000)
      return refuse();
    parts.push_back(*number);
  }
  if (parts.empty() || parts.size() > 3 || time.ends_with(':')) return refuse();
  int64_t seconds = 0;
  if (dash != std::string::npos) {
    const auto days = number_of(time.substr(0, dash));
    if (!days || dash == 0 || *days > 10'000) return refuse();
    parts.resize(3, 0);  // days-hours:minutes:seconds
    seconds = *days * 86'400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
  } else if (parts.size() == 3) {
    seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  } else {
    seconds = parts[0] * 60 + (parts.size() == 2 ? parts[1] : 0);
  }
  return seconds > 0 ? seconds : refuse();
}

std::string array_text(const std::vector<int64_t>& tasks) {
  std::string text;
  for (size_t i = 0; i < tasks.size();) {
    size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(tasks[i]);
    if (last > i) text += "-" + std::to_string(tasks[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::string> sbatch_options(const SubmitOptions& options) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(std::string(name) + "=" + plain_word(name, value));
  };
  if (!options.time.empty()) {
    // Time to make checkpoints and to publish them. Slurm itself may come up to a minute earlier.
    const int64_t warning = std::clamp<int64_t>(slurm_seconds(options.time) / 10, 10, 120);
    add("--time", options.time);
    add("--signal", "B:USR1@" + std::to_string(warning));
  }
  add("--partition", options.partition);
  add("--account", options.account);
  add("--qos", options.qos);
  for (const std::string& word : options.sbatch) {
    if (!word.starts_with("-")) throw Error(ErrorKind::usage, "--sbatch '" + word + "' is no option of sbatch");
    words.push_back(plain_word("--sbatch", word));
  }
  return words;
}

std::string sbatch_script(const ClusterJob& job, const std::string& folder, const std::string& program,
                          const SubmitOptions& options) {
  for (const std::string& path : {folder, options.logs})
    if (std::any_of(path.begin(), path.end(),
                    [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; }))
      throw Error(ErrorKind::usage, "Slurm cannot write into a folder of such a name: " + path, "name another");
  SubmitOptions all = options;
  if (all.time.empty()) all.time = kDefaultTime;
  std::ostringstream text;
  text << "#!/bin/bash\n"
       << "# " << count_text(job.all_runs(), "run") << " of a study in " << count_text(job.packs(), "pack")
       << ". Each task is a worker that has a whole node and trains every "
       << (job.tasks == 1 ? "pack" : std::to_string(job.tasks) + "th pack") << ".\n"
       << "# `atto status` shows how far it is, `atto collect` merges and judges when all is done.\n"
       << "#SBATCH --job-name=" << plain_word("the name of the study,", "atto-" + job.study) << "\n"
       << "#SBATCH --array=1-" << job.tasks;
  if (options.throttle > 0) text << "%" << options.throttle;
  text << "\n"
       << "#SBATCH --nodes=1\n"
       << "#SBATCH --ntasks=1\n"
       << "#SBATCH --exclusive\n"
       << "#SBATCH --mem=0\n"
       << "#SBATCH --requeue\n"
       << "#SBATCH --open-mode=append\n"
       << "#SBATCH --output=\"" << log_pattern(options.logs.empty() ? folder + "/logs" : options.logs) << "\"\n";
  for (const std::string& word : sbatch_options(all)) text << "#SBATCH " << word << "\n";
  text << "\n# Shortly before the time limit Slurm sends USR1 to this shell, which is the worker after `exec`: it "
          "saves a\n"
          "# checkpoint of every run, publishes them in the folder, and gives its task back to the queue.\n"
       << "exec " << shell_word(program) << " work " << shell_word(folder) << " --task \"$SLURM_ARRAY_TASK_ID\"\n";
  return text.str();
}

std::string sbatch(const std::string& script, const std::vector<int64_t>& tasks, const SubmitOptions& options) {
  std::string array = array_text(tasks);
  if (options.throttle > 0) array += "%" + std::to_string(options.throttle);
  std::vector<std::string> words = {"sbatch", "--parsable", "--array=" + array};
  for (const std::string& word : sbatch_options(options)) words.push_back(word);
  words.push_back(script);
  const CommandOutput answer = ask(words);
  if (answer.code != 0)
    throw Error(ErrorKind::usage, "Slurm refuses the job: " + complaint(answer),
                "the script is " + script + "; change the options, or the script, and submit again");
  const std::vector<std::string> lines = lines_of(answer.out);
  std::string id = lines.empty() ? "" : lines.back();
  return id.substr(0, id.find(';'));  // "12;cluster" where there are several
}

void note_submission(const JobFolder& folder, const std::string& id) {
  std::ofstream file(folder.path() / kSubmissions, std::ios::app);
  file << id << "\n";
  if (!file.flush()) throw Error(ErrorKind::resources, "cannot write " + (folder.path() / kSubmissions).string());
}

Queue ask_queue(const JobFolder& folder) {
  std::ifstream file(folder.path() / kSubmissions);
  std::string ids;
  for (std::string id; std::getline(file, id);)
    if (number_of(id)) ids += (ids.empty() ? "" : ",") + id;
  if (ids.empty()) {
    std::map<int64_t, Queued> none;
    for (int64_t task = 1; task <= folder.job().tasks; ++task) none[task] = Queued::not_submitted;
    return none;
  }
  const std::optional<CommandOutput> answer =
      run_command({"squeue", "--noheader", "--array", "--format=%K %T", "--jobs=" + ids});
  if (!answer) return std::nullopt;
  std::map<int64_t, Queued> tasks;
  // Slurm forgets a job some minutes after its end.
  if (answer->code != 0 && answer->err.find("Invalid job id") == std::string::npos) return std::nullopt;
  for (const std::string& line : lines_of(answer->out)) {
    const size_t space = line.find(' ');
    const auto task = number_of(std::string_view(line).substr(0, space));
    if (!task || space == std::string::npos) continue;
    const std::string state = line.substr(space + 1);
    const bool runs = state.starts_with("RUNNING") || state.starts_with("COMPLETING");
    if (runs) tasks[*task] = Queued::running;
    else tasks.emplace(*task, Queued::waiting);
  }
  return tasks;
}

std::string requeue(const std::string& job_id) {
  const std::optional<CommandOutput> answer = run_command({"scontrol", "requeue", job_id});
  if (!answer) return "scontrol is not found";
  return answer->code == 0 ? "" : complaint(*answer);
}

}  // namespace atto
