// A file that appears under its name only once it is whole.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace atto {

// What the name stands for decides how it is written:
//   nothing or a regular file   to a new file in the same folder, which commit() gives a random name and then renames
//   a symbolic link             the same for the file it leads to; the link stays
//   a FIFO, a character device  straight into it; there is nothing to rename, and it is never replaced
//   a link to standard output   the same, where it stands now: what the shell has written before stays
// A folder, a block device, another socket and a link to nothing are refused.
class OutputFile {
 public:
  // Creates missing folders. Errors are Error(resources) with the file's name and this remedy.
  explicit OutputFile(std::filesystem::path path, std::string remedy = kNameAFolder);
  ~OutputFile();  // without commit() nothing stays of a file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  static constexpr const char* kNameAFolder = "name a folder you may write to with --output, on a disk with room";

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void refuse(const std::string& reason) const;
  std::filesystem::path follow_links() const;
  void open_part();
  void open_through();
  template <class Make>
  int with_random_name(Make make);
  void take(int descriptor);  // errno says why it is negative

  std::filesystem::path path_;    // as it was asked for, for messages
  std::filesystem::path target_;  // what commit() replaces: `path_` with links followed
  std::filesystem::path part_;    // empty: nothing to rename or to remove
  std::string remedy_;
  bool nameless_ = false;  // a file that has no name before commit()
  std::unique_ptr<std::FILE, Close> stream_;
};

// A link to this process's standard output, such as /dev/stdout, whatever that is.
bool is_standard_output(const std::filesystem::path& path);
// Standard output, a FIFO or a character device: nothing can stand next to it.
bool is_stream(const std::filesystem::path& path);

// The numbers as they lie in memory; every supported machine is little-endian, as the formats want it.
template <class Number>
std::string_view raw_bytes(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace atto
