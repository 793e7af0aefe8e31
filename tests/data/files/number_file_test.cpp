// Numbers from CSV, NPY and NPZ, and what is said of files that are none.
#include "data/files/number_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace atto::number_file_test {
namespace {

std::string refusal(const std::string& bytes) {
  try {
    parse_number_file(bytes, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(error.remedy(), "");
    return error.what();
  }
  return "accepted";
}

TEST(NumberFile, ReadsTablesAsText) {
  for (const std::string text : {"1,2.5,-3e2\n4,5,6\n", "1;2.5;-3e2\n4;5;6", "1\t2.5\t-3e2\r\n4\t5\t6\r\n",
                                 "  1 2.5   -3e2\n4 5 6\n", "\xef\xbb\xbf# a remark\n\n1, 2.5, -3e2\n \n4, +5, 6\n"}) {
    SCOPED_TRACE(text);
    const NumberFile file = parse_number_file(text, "f");
    ASSERT_EQ(file.arrays.size(), 1u);
    EXPECT_EQ(file.arrays[0].shape, (std::vector<size_t>{2, 3}));
    EXPECT_EQ(file.arrays[0].values, (std::vector<double>{1, 2.5, -300, 4, 5, 6}));
    EXPECT_TRUE(file.columns.empty());
  }
  const NumberFile named = parse_number_file("x0,\"x1\", split\n# more\n3,4,train\n5,6,test\n", "f");
  EXPECT_EQ(named.columns, (std::vector<std::string>{"x0", "x1", "split"}));
  EXPECT_EQ(named.arrays[0].values, (std::vector<double>{3, 4, 0, 5, 6, 1}));
  EXPECT_EQ(named.arrays[0].lines, (std::vector<size_t>{3, 4}));
  EXPECT_EQ(named.place(named.arrays[0], 1), "f:4");
  EXPECT_TRUE(std::isnan(parse_number_file("1,nan\n", "f").arrays[0].values[1])) << "whoever reads it decides";
}

TEST(NumberFile, SaysWhereATextIsWrong) {
  EXPECT_EQ(refusal("1,2\n3\n"), "f:2: 1 values, but line 1 has 2");
  EXPECT_EQ(refusal("1,2\n3,4,5\n"), "f:2: 3 values, but line 1 has 2");
  EXPECT_EQ(refusal("1,2\n3, four\n"), "f:2:3: 'four' is not a number");
  EXPECT_EQ(refusal("1,2\n3,\n"), "f:2:3: '' is not a number");
  EXPECT_EQ(refusal("a,b\n1,train\n"), "f:2:3: 'train' is not a number");
  EXPECT_EQ(refusal(""), "f: the file holds no rows of numbers");
  EXPECT_EQ(refusal("a,b\n"), "f: the file holds no rows of numbers");
  EXPECT_EQ(refusal("\n# nothing\n"), "f: the file holds no rows of numbers");
}

template <class Number>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<Number>& values,
                bool by_columns = false, char version = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (by_columns ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> 8 * i);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  return bytes;
}

TEST(NumberFile, ReadsArraysOfEveryType) {
  const auto check = [](const std::string& bytes) {
    const NumberFile file = parse_number_file(bytes, "f");
    EXPECT_EQ(file.arrays[0].shape, (std::vector<size_t>{2, 3}));
    EXPECT_EQ(file.arrays[0].values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file.place(file.arrays[0], 1, 2), "f, row 1, column 2");
  };
  check(npy<double>("<f8", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<int64_t>("<i8", "(2, 3)", {1, 2, 3, 4, 5, 6}, false, 2));
  check(npy<int32_t>("<i4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<int16_t>("<i2", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<uint8_t>("|u1", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<uint64_t>("<u8", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  check(npy<double>("<f8", "(2, 3)", {1, 4, 2, 5, 3, 6}, true));
  EXPECT_EQ(parse_number_file(npy<double>("<f8", "(2,)", {7, 8}), "f").arrays[0].shape, std::vector<size_t>{2});
}

TEST(NumberFile, RefusesArraysItCannotRead) {
  EXPECT_EQ(refusal(npy<double>("<f8", "(2, 3)", {1, 2})), "f: the array ends before its last number");
  EXPECT_EQ(refusal(npy<double>("<f8", "(0, 3)", {})), "f: the array is empty");
  EXPECT_EQ(refusal(npy<double>("<f8", "(3, 0)", {})), "f: the array is empty");
  EXPECT_EQ(refusal(npy<double>("<f8", "(4611686018427387904, 4611686018427387904)", {})),
            "f: the array ends before its last number");
  EXPECT_EQ(refusal(npy<double>("<f8", "(99999999999999999999999,)", {1})),
            "f: the shape of the array has numbers beyond any memory");
  EXPECT_EQ(refusal(npy<double>(">f8", "(1,)", {1})), "f: the array has numbers of type '>f8'");
  EXPECT_EQ(refusal(npy<double>("<c16", "(1,)", {1, 2})), "f: the array has numbers of type '<c16'");
  EXPECT_EQ(refusal(npy<double>("<f8", "[1]", {1})), "f: the shape of the array cannot be read");
  EXPECT_EQ(refusal("\x93NUMPY"), "f: the array ends before its last number");
}

// An archive as numpy.savez writes it, or with `packed` as numpy.savez_compressed does.
std::string npz(const std::vector<std::pair<std::string, std::string>>& members, bool packed) {
  const auto little = [](uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
    return text;
  };
  std::string bytes, directory;
  for (const auto& [name, plain] : members) {
    std::string data = plain;
    if (packed) {
      z_stream stream{};
      EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
      data.resize(deflateBound(&stream, plain.size()));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
      stream.avail_in = static_cast<uInt>(plain.size());
      stream.next_out = reinterpret_cast<Bytef*>(data.data());
      stream.avail_out = static_cast<uInt>(data.size());
      EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
      data.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size());
    const std::string fields = little(20, 2) + little(0, 2) + little(packed ? 8 : 0, 2) + little(0, 4) +
                               little(crc, 4) + little(data.size(), 4) + little(plain.size(), 4) +
                               little(name.size(), 2);
    directory += "PK\x01\x02" + little(20, 2) + fields + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(bytes.size(), 4) + name;
    bytes += "PK\x03\x04" + fields + little(20, 2) + name + std::string(20, 'e') + data;  // with an extra field
  }
  return bytes + directory + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) +
         little(directory.size(), 4) + little(bytes.size(), 4) + little(0, 2);
}

TEST(NumberFile, ReadsArchives) {
  for (const bool packed : {false, true}) {
    const NumberFile file = parse_number_file(npz({{"tokens.npy", npy<int64_t>("<i8", "(2, 2)", {1, 2, 3, 4})},
                                                   {"weights.npy", npy<double>("<f8", "(2,)", {0.5, 2})}},
                                                  packed),
                                              "f");
    ASSERT_EQ(file.arrays.size(), 2u);
    EXPECT_EQ(file.find("tokens")->values, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(file.find("weights")->values, (std::vector<double>{0.5, 2}));
    EXPECT_EQ(file.find("answers"), nullptr);
    EXPECT_EQ(file.place(*file.find("weights"), 1), "f, weights[1]");
  }
}

TEST(NumberFile, RefusesDamagedArchives) {
  const std::string good = npz({{"a.npy", npy<double>("<f8", "(2,)", {0.5, 2})}}, true);
  EXPECT_EQ(refusal(good.substr(0, good.size() - 30)), "f: the archive is damaged or cut short");
  std::string flipped = good;
  flipped[60] = static_cast<char>(flipped[60] ^ 0x55);
  EXPECT_NE(refusal(flipped), "accepted");
  for (size_t length = 4; length < good.size(); ++length) EXPECT_NE(refusal(good.substr(0, length)), "accepted");
  std::string long_name = good;
  long_name[good.find("PK\x01\x02") + 28] = '\x7f';  // its length: the name would end beyond the file
  EXPECT_EQ(refusal(long_name), "f: the archive is damaged or cut short");
  EXPECT_EQ(refusal(npz({}, false)), "f: the archive holds no arrays");
}

// Sizes in an archive are what its maker says.
TEST(NumberFile, DoesNotBelieveTheSizesOfAnArchive) {
  const std::string array = npy<double>("<f8", "(2,)", {0.5, 2});
  std::string archive = npz({{"a.npy", array}, {"b.npy", array}}, true);
  const auto say_size = [&](size_t entry, const std::string& four_bytes) {
    archive.replace(archive.find("PK\x01\x02", entry) + 24, 4, four_bytes);
  };
  const size_t first = archive.find("PK\x01\x02");
  say_size(first, {"\0\0\0\x30", 4});
  EXPECT_EQ(refusal(archive), "f, a: the array says that it is larger than it can be");
  say_size(first + 1, {"\0\0\0\x30", 4});
  EXPECT_EQ(refusal(archive), "f: its arrays have more than 1 GB");
}

TEST(NumberFile, HasTheHashOfItsBytes) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "numbers.csv";
  std::ofstream(path) << "1,2\n";
  const std::string first = load_number_file(path)->hash;
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(load_number_file(path)->hash, first);
  EXPECT_EQ(load_number_file(path)->name, path.string());
  std::ofstream(path) << "1,3\n";
  EXPECT_NE(load_number_file(path)->hash, first);
  std::filesystem::remove(path);
  try {
    load_number_file(path);
    ADD_FAILURE() << "there is no such file";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing);
  }
}

}  // namespace
}  // namespace atto::number_file_test
