// Exported files, read back by the rules of their formats.
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "app/program.h"

namespace atto::test {
namespace {

template <class Number>
Number number_at(const std::string& bytes, size_t offset) {
  Number number{};
  if (offset + sizeof number > bytes.size()) throw std::runtime_error("the file is too short");
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// The definition of CRC-32, bit by bit.
uint32_t crc_by_bits(const std::string& bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

// Members of a zip archive without compression, by way of its directory at the end.
std::map<std::string, std::string> unzip(const std::string& zip) {
  const size_t end = zip.size() - 22;
  EXPECT_EQ(number_at<uint32_t>(zip, end), 0x06054b50u);
  std::map<std::string, std::string> members;
  size_t entry = number_at<uint32_t>(zip, end + 16);
  for (int left = number_at<uint16_t>(zip, end + 10); left > 0; --left) {
    EXPECT_EQ(number_at<uint32_t>(zip, entry), 0x02014b50u);
    EXPECT_EQ(number_at<uint16_t>(zip, entry + 10), 0) << "stored, not compressed";
    const auto crc = number_at<uint32_t>(zip, entry + 16), size = number_at<uint32_t>(zip, entry + 24);
    const auto name_length = number_at<uint16_t>(zip, entry + 28);
    const auto local = number_at<uint32_t>(zip, entry + 42);
    const std::string name = zip.substr(entry + 46, name_length);
    EXPECT_EQ(number_at<uint32_t>(zip, local), 0x04034b50u);
    EXPECT_EQ(zip.substr(local + 30, number_at<uint16_t>(zip, local + 26)), name);
    const std::string data = zip.substr(local + 30 + name_length + number_at<uint16_t>(zip, local + 28), size);
    EXPECT_EQ(crc_by_bits(data), crc) << name;
    members[name] = data;
    entry += 46u + name_length + number_at<uint16_t>(zip, entry + 30) + number_at<uint16_t>(zip, entry + 32);
  }
  EXPECT_EQ(entry, end) << "the directory ends where its end begins";
  return members;
}

struct Array {
  std::string header;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
};

Array parse_npy(const std::string& npy) {
  EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const size_t start = 10u + number_at<uint16_t>(npy, 8);
  EXPECT_EQ(start % 64, 0u);
  EXPECT_EQ(npy[start - 1], '\n');
  Array array{npy.substr(10, start - 10), {}, {}};
  for (size_t at = start; at < npy.size(); at += 8) {
    array.doubles.push_back(number_at<double>(npy, at));
    array.integers.push_back(number_at<int64_t>(npy, at));
  }
  return array;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ExportTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(atto({"run", "tiny", "--seeds", "3"}).code, 0);
    cells_ = atto_json({"show", "tiny", "--seeds", "3", "--json"}).at("cells");
  }
  std::string run_id(size_t cell, size_t seed) const { return cells_[cell].at("run_ids")[seed]; }
  Json series(const std::string& run, const std::string& address) const {
    return atto_json({"show", run, "--observable", address, "--json"}).at("series")[0];
  }
  Json cells_;
};

TEST_F(ExportTest, CsvHoldsEveryScalarInLongForm) {
  ASSERT_EQ(atto({"export", "tiny", "--seeds", "3", "--output", "data"}).code, 0);
  std::istringstream lines(read("data/tiny.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "study,network.width,seed,run,observable,step,value");
  const Json expected = series(run_id(1, 2), "accuracy");
  const std::string start = "tiny,3,3," + run_id(1, 2) + ",accuracy,";
  size_t total = 0, found = 0;
  while (std::getline(lines, line)) {
    ++total;
    EXPECT_FALSE(contains(line, ",embedding,")) << "matrices do not belong here";
    if (!line.starts_with(start)) continue;
    const size_t comma = line.rfind(',');
    EXPECT_EQ(std::stoll(line.substr(start.size())), expected.at("steps").at(found));
    EXPECT_EQ(std::stod(line.substr(comma + 1)), expected.at("values").at(found)) << "round-trip exact";
    ++found;
  }
  EXPECT_EQ(found, expected.at("steps").size());
  EXPECT_EQ(total, 2 * 6 * found) << "2 scalars of 6 runs";
}

TEST_F(ExportTest, CsvRefusesAMatrix) {
  const Outcome outcome = atto({"export", "tiny", "--observable", "embedding"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "--format npz")) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "export")) << "nothing is left half-way";
}

TEST_F(ExportTest, NpzHoldsSeedsByStepsByShape) {
  ASSERT_EQ(atto({"export", "tiny", "--seeds", "3", "--format", "npz", "--output", "data/all.npz"}).code, 0);
  const auto members = unzip(read("data/all.npz"));
  EXPECT_EQ(members.size(), 2u * (1 + 4 * 2));
  EXPECT_EQ(parse_npy(members.at("cell0/seeds.npy")).integers, (std::vector<int64_t>{1, 2, 3}));

  const Json expected = series(run_id(1, 2), "embedding");
  const Array steps = parse_npy(members.at("cell1/embedding/steps.npy"));
  EXPECT_TRUE(contains(steps.header, "'descr': '<i8'"));
  EXPECT_EQ(Json(steps.integers), expected.at("steps"));
  const Array values = parse_npy(members.at("cell1/embedding/values.npy"));
  const size_t moments = steps.integers.size(), block = 4 * 3;
  EXPECT_TRUE(contains(values.header,
                       "'descr': '<f8', 'fortran_order': False, 'shape': (3," + std::to_string(moments) + ",4,3,)"))
      << values.header;
  ASSERT_EQ(values.doubles.size(), 3 * moments * block);
  const std::vector<double> third(values.doubles.end() - static_cast<std::ptrdiff_t>(moments * block),
                                  values.doubles.end());
  EXPECT_EQ(Json(third), expected.at("values"));
}

TEST_F(ExportTest, NpzPadsRunsThatStoppedEarly) {
  // A goal every run meets at once, though not all at the same step: one step on end each.
  const std::vector<std::string> changes = {
      "--set", "training.stop_loss=1.38", "--set", "training.stop_hold=1", "--seeds", "8"};
  std::vector<std::string> train = {"run", "tiny"},
                           write_out = {"export", "tiny", "--format", "npz", "--observable", "perplexity"};
  train.insert(train.end(), changes.begin(), changes.end());
  write_out.insert(write_out.end(), changes.begin(), changes.end());
  ASSERT_EQ(atto(train).code, 0);
  ASSERT_EQ(atto(write_out).code, 0);
  const auto members = unzip(read("export/tiny.npz"));
  const size_t steps = parse_npy(members.at("cell0/perplexity/steps.npy")).integers.size();
  const Array values = parse_npy(members.at("cell0/perplexity/values.npy"));
  ASSERT_EQ(values.doubles.size(), 8 * steps);
  size_t gaps = 0;
  for (const double value : values.doubles) gaps += std::isnan(value) ? 1 : 0;
  EXPECT_GT(gaps, 0u);
  EXPECT_LT(gaps, values.doubles.size());
}

TEST_F(ExportTest, SafetensorsHoldTheFinalWeights) {
  const std::string id = run_id(1, 0);
  ASSERT_EQ(atto({"export", id.substr(0, 10), "--format", "safetensors", "--output", "net.safetensors"}).code, 0);
  const std::string bytes = read("net.safetensors");
  const auto length = number_at<uint64_t>(bytes, 0);
  EXPECT_EQ(length % 8, 0u);
  const Json header = Json::parse(bytes.substr(8, length));
  EXPECT_EQ(header.at("__metadata__").at("run"), id);
  size_t data = 0;
  for (const auto& [name, tensor] : header.items())
    if (name != "__metadata__") data = std::max<size_t>(data, tensor.at("data_offsets")[1]);
  EXPECT_EQ(8 + length + data, bytes.size());
  EXPECT_EQ(header.at("blocks.0.attn.W_Q").at("shape"), Json({1, 3, 3})) << "[n_heads, d_model, d_head]";

  const Json& embedding = header.at("W_E");
  EXPECT_EQ(embedding.at("dtype"), "F32");
  EXPECT_EQ(embedding.at("shape"), Json({4, 3}));
  const Json values = series(id, "embedding").at("values");
  const size_t start = 8 + length + embedding.at("data_offsets")[0].get<size_t>();
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(number_at<float>(bytes, start + 4 * i), values.at(values.size() - 12 + i).get<float>());
}

TEST_F(ExportTest, WeightsOfAStudyAreOneFileARun) {
  const Json report =
      atto_json({"export", "tiny", "--seeds", "3", "--format", "safetensors", "--output", "nets", "--json"});
  EXPECT_EQ(report.at("files").size(), 6u);
  for (const Json& file : report.at("files"))
    EXPECT_TRUE(std::filesystem::exists(folder_ / file.get<std::string>())) << file;
}

// As `seeds.init` and the tables of Python do, so that files can be joined.
TEST_F(ExportTest, SeedsCountAsTheStudyDoes) {
  std::string study = read("studies/tiny.toml");
  study.replace(study.find("count = 8"), 9, "count = 3\nfirst = 5\nvary = \"data\"");
  write("studies/later.toml", study);
  const auto exported = [&](const std::string& format) {
    return atto_json({"export", "later", "--format", format, "--output", format, "--json"});
  };
  ASSERT_EQ(atto({"run", "later"}).code, 0);
  const Json manifest = Json::parse(read(exported("safetensors").at("manifest")));
  const std::vector<int64_t> expected = {5, 6, 7};
  for (size_t cell = 0; cell < 2; ++cell) {
    for (size_t i = 0; i < 3; ++i) {
      const Json& run = manifest.at("cells")[cell].at("runs")[i];
      EXPECT_EQ(run.at("seed"), expected[i]);
      const std::string file =
          "safetensors/later-cell" + std::to_string(cell) + "-seed" + std::to_string(expected[i]) + ".safetensors";
      EXPECT_TRUE(contains(read(file), run.at("run"))) << file;
      const Json shown = atto_json({"show", run.at("run"), "--json"}).at("config");
      EXPECT_EQ(shown.at("seeds.data"), expected[i]);
      EXPECT_EQ(shown.at("seeds.init"), 5);
    }
  }
  exported("npz");
  EXPECT_EQ(parse_npy(unzip(read("npz/later.npz")).at("cell1/seeds.npy")).integers, expected);
  exported("csv");
  const std::string last = manifest.at("cells")[1].at("runs")[2].at("run");
  EXPECT_TRUE(contains(read("csv/later.csv"), ",7," + last + ","));
  ASSERT_EQ(atto({"export", last, "--output", "alone.csv"}).code, 0);
  EXPECT_TRUE(contains(read("alone.csv"), ",7," + last + ",")) << "a run alone has the number that its study gave it";
}

TEST_F(ExportTest, OneFileGoesToStandardOutputOrADevice) {
  ASSERT_EQ(atto({"export", "tiny", "--seeds", "3", "--output", "data"}).code, 0);
  const Outcome piped = atto({"export", "tiny", "--seeds", "3", "--output", "/dev/stdout"});
  ASSERT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out, read("data/tiny.csv")) << "nothing else is there";
  EXPECT_TRUE(contains(piped.err, "without a manifest")) << piped.err;
  std::filesystem::create_symlink("/dev/null", folder_ / "nothing");
  const Json report = atto_json({"export", "tiny", "--seeds", "3", "--output", "nothing", "--json"});
  EXPECT_TRUE(report.at("manifest").is_null());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nothing.manifest.json"));
  const Outcome mixed = atto({"export", "tiny", "--seeds", "3", "--output", "/dev/stdout", "--json"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_EQ(mixed.out, "");
  for (const std::string format : {"parquet", "safetensors"}) {
    const Outcome several = atto({"export", "tiny", "--seeds", "3", "--output", "/dev/stdout", "--format", format});
    EXPECT_EQ(several.code, 2) << format;
    EXPECT_TRUE(contains(several.err, "'/dev/stdout' is a single file")) << several.err;
  }
}

TEST_F(ExportTest, TheEndingOfAnotherFormatIsRefused) {
  for (const std::string name : {"all.npz", "all.NPZ", "all.parquet", "all.png", "all.CSV"}) {
    const Outcome outcome = atto({"export", "tiny", "--seeds", "3", "--output", name});
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_TRUE(contains(outcome.err, "→ name a file that ends with .csv, or a folder")) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / name));
  }
  std::filesystem::create_directory(folder_ / "old.npz");
  EXPECT_EQ(atto({"export", "tiny", "--seeds", "3", "--output", "old.npz"}).code, 0) << "a folder that is there";
  EXPECT_EQ(atto({"export", "tiny", "--seeds", "3", "--output", "v1.5"}).code, 0) << "no ending of ours";
}

TEST_F(ExportTest, TheManifestSaysWhereItCameFrom) {
  const Json report = atto_json({"export", "tiny", "--seeds", "3", "--output", "data", "--json"});
  const Json manifest = Json::parse(read(report.at("manifest")));
  EXPECT_EQ(manifest.at("study"), "tiny");
  EXPECT_EQ(manifest.at("profile"), "quick");
  EXPECT_TRUE(manifest.at("engine_revision").is_number_integer());
  EXPECT_EQ(manifest.at("files"), Json({"tiny.csv"}));
  EXPECT_EQ(manifest.at("cells")[1].at("overrides"), Json({{"network.width", 3}}));
  EXPECT_EQ(manifest.at("cells")[1].at("config").at("network.width"), 3);
  EXPECT_EQ(manifest.at("cells")[1].at("runs")[2].at("run"), run_id(1, 2));
}

}  // namespace
}  // namespace atto::test
