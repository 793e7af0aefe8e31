// All frames of a session, for clients that come at different times and read at different speeds. A client's place in
// it is one number; what is new for it is one frame, however many were made meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "live/frame.h"

namespace atto {

struct LogLimits {
  size_t event_bytes = 1'000'000;    // of one frame that is sent, about
  size_t behind_bytes = 16'000'000;  // who is further behind gets the newest points, and others are left out
};

class FrameLog {
 public:
  explicit FrameLog(const LogLimits& limits = {}) : limits_(limits) {}

  void append(Frame frame);  // by any thread
  size_t end() const;        // the place after the last frame

  struct News {
    std::shared_ptr<const std::string> event;  // id: and data: of a server-sent event; null where nothing is new
    size_t place = 0;                          // of the client afterwards
    bool cut = false;                          // what is new did not fit into one event
  };
  // The last state of every series and run is always in it, or in what follows. Clients at the same place are told the
  // same, even if more has come meanwhile: an event is made once for all of them, and they stay together.
  News since(size_t place) const;
  // The same as a frame.
  struct Found {
    std::optional<Frame> frame;
    size_t place = 0;
  };
  Found frame_since(size_t place) const;

  Frame all() const;                    // everything, as one frame
  enum class Blocks { joined, apart };  // those of one series of one run
  static Frame merge(const std::deque<std::shared_ptr<const Frame>>& frames, Blocks how = Blocks::joined);

 private:
  struct Entry {
    std::shared_ptr<const Frame> frame;
    size_t bytes = 0;
  };
  // What a client at `place` gets: the frames up to `last`, with points left out or not.
  struct Part {
    size_t place = 0, last = 0;
    bool thin = false, cut = false;
  };
  Part part_for(size_t place) const;  // with the lock
  std::deque<std::shared_ptr<const Frame>> frames_of(const Part& part) const;
  Frame frame_of(const Part& part) const;
  std::string encoded(const Part& part) const;

  const LogLimits limits_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  // The last event that was made: clients that keep up share it.
  mutable Part made_part_;
  mutable std::shared_ptr<const std::string> made_;
};

// The newest blocks that fit into so many bytes, oldest first, and of every series of every run at least the last
// point.
std::vector<FrameBlock> newest_blocks(const std::vector<FrameBlock>& blocks, size_t bytes);

}  // namespace atto
