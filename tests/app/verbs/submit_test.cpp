// submit, work, status and collect, as people type them; Slurm's commands are scripts that note how they were called.
// tests/cluster has the real ones.
#include <csignal>

#include "app/program.h"
#include "places.h"

namespace atto::test::submit_verb_test {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class SubmitVerb : public ProgramTest {
 protected:
  // A command of Slurm's that does as the shell says.
  void command(const std::string& name, const std::string& shell) const {
    write("bin/" + name,
          "#!/bin/sh\necho \"" + name + " $*\" >> \"" + (folder_ / "calls").string() + "\"\n" + shell + "\n");
    fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
  }
  void slurm() const {
    command("scontrol", "echo 'MaxArraySize            = 4'");
    command("sinfo", "case \"$*\" in *%c*) echo 2;; *nowhere*) ;; *) echo main;; esac");
    command("sbatch", "echo 17");
    command("squeue", "true");
  }
  Outcome with_slurm(const std::vector<std::string>& arguments, const std::string& variable = "ATTO_NOTHING=") const {
    return atto(arguments, {"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin", variable});
  }
  Outcome submit(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"submit", "tiny", "--slurm", "--folder", "job", "--scratch", "scratch"};
    words.insert(words.end(), more.begin(), more.end());
    return with_slurm(words);
  }
};

TEST_F(SubmitVerb, WritesAScriptOneCanReadAndGivesItToSlurm) {
  slurm();
  const Outcome done = submit({"--nodes", "2", "--time", "2:00:00", "--partition", "main", "--account", "lab", "--qos",
                               "high", "--throttle", "1", "--sbatch", "--constraint=avx512"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.out, "job 17: 2 workers for 16 runs of tiny")) << done.out;
  const std::string script = read("job/job.sbatch");
  for (const char* line :
       {"#!/bin/bash\n", "#SBATCH --array=1-2%1\n", "#SBATCH --time=2:00:00\n", "#SBATCH --signal=B:USR1@120\n",
        "#SBATCH --partition=main\n", "#SBATCH --account=lab\n", "#SBATCH --qos=high\n", "#SBATCH --exclusive\n",
        "#SBATCH --requeue\n", "#SBATCH --constraint=avx512\n", " --task \"$SLURM_ARRAY_TASK_ID\"\n"})
    EXPECT_TRUE(contains(script, line)) << line << script;
  EXPECT_TRUE(contains(script, "exec " + program_path() + " work " + fs::canonical(folder_ / "job").string()));
  EXPECT_TRUE(contains(read("calls"), "sbatch --parsable --array=1-2%1 ")) << read("calls");
  EXPECT_EQ(read("job/study/tiny.toml"), read("studies/tiny.toml"));
  EXPECT_FALSE(fs::exists(folder_ / "results/atto.db")) << "nothing is trained here";
}

TEST_F(SubmitVerb, PacksAnArrayThatIsTooLargeToFit) {
  slurm();
  const Outcome done = submit({"--nodes", "12"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.err, "at most 3 tasks")) << done.err;
  EXPECT_TRUE(contains(read("job/job.sbatch"), "--array=1-3\n"));
}

TEST_F(SubmitVerb, DryRunPrintsTheScriptAnywhereAndWritesNothing) {
  const Outcome shown = atto({"submit", "tiny", "--slurm", "--dry-run", "--nodes", "20"}, {"PATH=/nowhere"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "#SBATCH --array=1-16\n")) << shown.out;  // no more workers than runs
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(SubmitVerb, DryRunIsJsonWhereThatIsAskedFor) {
  const Outcome script = atto({"submit", "tiny", "--slurm", "--dry-run", "--nodes", "2"}, {"PATH=/nowhere"});
  const Outcome shown = atto({"submit", "tiny", "--slurm", "--dry-run", "--nodes", "2", "--json"}, {"PATH=/nowhere"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const Json planned = Json::parse(shown.out);
  EXPECT_EQ(planned.at("script_text"), script.out);
  EXPECT_EQ(planned.at("script"), planned.at("folder").get<std::string>() + "/job.sbatch");
  EXPECT_EQ(planned.at("job"), nullptr);
  EXPECT_EQ(planned.at("workers"), 2);
  EXPECT_EQ(planned.at("runs"), 16);
  EXPECT_FALSE(fs::exists(folder_ / "results"));
  slurm();
  ASSERT_EQ(submit({"--nodes", "2"}).code, 0);
  const Json left = Json::parse(with_slurm({"submit", "job", "--slurm", "--dry-run", "--json"}).out);
  EXPECT_TRUE(left.at("command").get<std::string>().starts_with("sbatch --array=1-2 ")) << left;
  EXPECT_EQ(left.at("workers"), 2);
  for (const char* task : {"1", "2"}) ASSERT_EQ(with_slurm({"work", "job", "--task", task}).code, 0);
  const Json done = Json::parse(with_slurm({"submit", "job", "--slurm", "--json"}).out);
  EXPECT_EQ(done.at("workers"), 0);
  EXPECT_EQ(done.at("job"), nullptr);
}

TEST_F(SubmitVerb, RefusesWhatCannotWork) {
  const Outcome without = atto({"submit", "tiny", "--slurm"}, {"PATH=/nowhere"});
  EXPECT_EQ(without.code, 4);
  EXPECT_TRUE(contains(without.err, "there is no Slurm on this machine")) << without.err;
  slurm();
  EXPECT_TRUE(contains(submit({"--partition", "nowhere"}).err, "its partitions are main"));
  EXPECT_EQ(with_slurm({"submit", "tiny"}).code, 2);
  EXPECT_EQ(submit({"--time", "soon"}).code, 2);
  EXPECT_EQ(submit({"--account", "a b\nc"}).code, 2);
  EXPECT_EQ(submit({"--sbatch", "word"}).code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "job")) << "a slip leaves nothing behind";
  command("sbatch", "echo 'sbatch: error: Batch job submission failed: Invalid qos specification' >&2; exit 1");
  const Outcome refused = submit();
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "Slurm refuses the job: Batch job submission failed: Invalid qos")) << refused.err;
  EXPECT_TRUE(contains(with_slurm({"status", "job"}).out, "Workers: 1 planned\n")) << "it may be submitted later";
  command("sbatch", "echo 17");
  EXPECT_TRUE(contains(with_slurm({"submit", "job", "--slurm"}).out, "Submitted as job 17: 1 worker"));
  for (const char* verb : {"status", "collect"}) EXPECT_EQ(with_slurm({verb, "studies"}).code, 4) << verb;
  EXPECT_EQ(with_slurm({"work", "studies", "--task", "1"}).code, 4);
}

TEST_F(SubmitVerb, FromSubmissionToVerdicts) {
  slurm();
  const Json alone = atto_json({"run", "tiny", "--store", "alone.db", "--json"});
  ASSERT_EQ(submit({"--nodes", "2"}).code, 0);
  command("squeue", "echo '1 RUNNING'; echo '2 PENDING'");
  EXPECT_TRUE(contains(with_slurm({"status", "job"}).out, "Workers: 1 running, 1 waiting"));
  command("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  const Outcome gone = with_slurm({"status", "job"});
  EXPECT_TRUE(contains(gone.out, "Workers: 2 gone")) << gone.out;
  EXPECT_TRUE(contains(gone.out, "Submit what is left: ")) << gone.out;
  const Outcome early = with_slurm({"collect", "job"});
  EXPECT_EQ(early.code, 4);
  EXPECT_TRUE(contains(early.err, "2 of 2 packs of the job are not there yet")) << early.err;

  ASSERT_EQ(with_slurm({"work", "job", "--task", "2"}).code, 0);
  EXPECT_TRUE(contains(with_slurm({"status", "job"}).out, "8 of 16 runs are done"));
  const Outcome left = with_slurm({"submit", "job", "--slurm", "--time", "10"});
  EXPECT_EQ(left.code, 0) << left.err;
  EXPECT_TRUE(contains(read("calls"), "sbatch --parsable --array=1 --time=10 --signal=B:USR1@60 ")) << read("calls");
  ASSERT_EQ(with_slurm({"work", "job", "--task", "1"}).code, 0);
  EXPECT_TRUE(contains(with_slurm({"submit", "job", "--slurm"}).out, "Nothing is left to train"));
  const Json status = Json::parse(with_slurm({"status", "job", "--json"}).out);
  EXPECT_EQ(status.at("done"), true);
  EXPECT_EQ(status.at("runs_done"), 16);

  const Outcome judged = with_slurm({"collect", "job", "--json"});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_TRUE(contains(judged.err, "trained 0 runs, 16 were in the store")) << judged.err;
  EXPECT_EQ(Json::parse(judged.out), alone);
  EXPECT_TRUE(fs::is_empty(folder_ / "scratch"));
}

TEST_F(SubmitVerb, AWorkerThatIsToldOfItsTimeLimitQueuesAgain) {
  slurm();
  write("studies/long.toml",
        read("studies/tiny.toml").replace(read("studies/tiny.toml").find("steps = 50"), 10, "steps = 9000000"));
  ASSERT_EQ(with_slurm({"submit", "long", "--slurm", "--folder", "job", "--scratch", "scratch"}).code, 0);
  setenv("SLURM_JOB_ID", "17", 1);
  setenv("PATH", ((folder_ / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
  const Outcome told = atto_until({"work", "job", "--task", "1"}, "training in ", {SIGUSR1});
  unsetenv("SLURM_JOB_ID");
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(contains(told.err, "the task queues again")) << told.err;
  EXPECT_TRUE(contains(read("calls"), "scontrol requeue 17\n")) << read("calls");
  EXPECT_TRUE(contains(read("job/tasks/0001.json"), "\"requeued\""));
}

TEST_F(SubmitVerb, CollectRefusesAShardOfSomethingElse) {
  slurm();
  ASSERT_EQ(submit().code, 0);
  ASSERT_EQ(atto({"run", "map", "--shard", "1/1", "--store", "other.db"}).code, 0);
  fs::copy_file(folder_ / "other.db", folder_ / "job/shards/00001.db");
  const Outcome refused = with_slurm({"collect", "job", "--store", "merged.db"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(contains(refused.err, "is not pack 1 of this job")) << refused.err;
}

}  // namespace
}  // namespace atto::test::submit_verb_test
