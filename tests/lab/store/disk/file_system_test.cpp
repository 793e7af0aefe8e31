// Stores on file systems that several machines share: read when closed, never written.
#include "lab/store/disk/file_system.h"

#include <gtest/gtest.h>

#include "lab/store/store_samples.h"

namespace atto::file_system_test {
namespace {

using Mode = Store::Mode;

long pretended = 0;

// Every path lies on a file system of that type while this lives.
class Pretend {
 public:
  explicit Pretend(long type) : before_(exchange_file_system_type([](const std::string&) { return pretended; })) {
    pretended = type;
  }
  ~Pretend() { exchange_file_system_type(before_); }

 private:
  FileSystemType before_;
};

class FileSystemTest : public StoreFolder {};

std::string refusal(const std::string& path, Mode mode) {
  try {
    Store(path, mode);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store);
    return std::string(error.what()) + " " + error.remedy();
  }
  return "";
}

TEST_F(FileSystemTest, NoStoreIsWrittenWhereMachinesShareIt) {
  const std::map<std::string, long> kinds = {
      {"NFS", 0x6969}, {"Lustre", 0x0BD00BD0}, {"GPFS", 0x47504653}, {"BeeGFS", 0x19830326}, {"FUSE", 0x65735546}};
  for (const auto& [name, type] : kinds) {
    const Pretend shared(type);
    const std::string said = refusal(path("new/runs.atto"), Mode::write);
    EXPECT_NE(said.find("no store can be written on " + name), std::string::npos) << said;
    EXPECT_NE(said.find("local disk"), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(path("new"))) << "nothing is left behind";
  }
  for (const long type : {0xEF53L, 0x58465342L, 0x01021994L, 0x794C7630L}) {  // ext4, xfs, tmpfs, overlay
    const Pretend local(type);
    EXPECT_EQ(refusal(path("local.atto"), Mode::write), "");
  }
}

TEST_F(FileSystemTest, AClosedStoreIsReadFromThereAndLeavesNothingBeside) {
  {
    Store store(path(), Mode::write);
    save_sample(store, 1);
  }
  std::filesystem::remove(path() + ".lock");
  const std::string before = bytes_of(path());
  const Pretend shared(0x6969);
  {
    const Store store(path(), Mode::read);
    EXPECT_TRUE(store.has("run1"));
    EXPECT_EQ(store.runs().size(), 1u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "no index file";
  }
  EXPECT_EQ(bytes_of(path()), before);
  EXPECT_NE(refusal(path(), Mode::write), "");
}

TEST_F(FileSystemTest, OneWithALogIsNot) {
  Store writer(path(), Mode::write);
  save_sample(writer, 1);
  const Pretend shared(0x0BD00BD0);
  const std::string said = refusal(path(), Mode::read);
  EXPECT_NE(said.find("still in the log"), std::string::npos) << said;
}

// Larger than what is checked from end to end when a writer opens it.
class LargeStoreTest : public StoreFolder {
 protected:
  LargeStoreTest() {
    Store store(path(), Mode::write);
    save_sample(store, 1);
    FinishedRun large{"large", "{}", 1, 1, {}, 0};
    large.recording.weights.push_back({"W", 4000, 4500, std::vector<float>(18'000'000)});
    store.save({large});
    save_sample(store, 2);
  }
};

TEST_F(LargeStoreTest, AWriterOpensItWithoutReadingAllOfIt) {
  ASSERT_GT(std::filesystem::file_size(path()), 64'000'000u);
  // Damage in the middle of the large blob costs nobody anything until it is read.
  std::string bytes = bytes_of(path());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_bytes(path(), bytes);
  {
    Store store(path(), Mode::write);
    save_sample(store, 3);
    EXPECT_TRUE(store.has("run2"));
    EXPECT_FALSE(store.has("run4"));
    EXPECT_THROW(store.load("large"), Error);
  }
  EXPECT_EQ(Store(path(), Mode::read).runs().size(), 4u);
}

TEST_F(LargeStoreTest, OneThatWasCutShortIsRefused) {
  const std::string bytes = bytes_of(path());
  write_bytes(path(), bytes.substr(0, bytes.size() - 4096));
  EXPECT_NE(refusal(path(), Mode::write).find("cut short"), std::string::npos);
}

TEST_F(LargeStoreTest, ADamagedIndexDoesNotHideARun) {
  const std::string whole = bytes_of(path());
  int refused = 0;
  for (size_t at = whole.find("run2"); at != std::string::npos; at = whole.find("run2", at + 1)) {
    std::string bytes = whole;
    bytes[at + 3] = '6';
    write_bytes(path(), bytes);
    try {
      EXPECT_TRUE(Store(path(), Mode::write).has("run2")) << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace atto::file_system_test
