// A session trains on several threads what one live study would, bit for bit.
#include "serve/sessions/session.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "lab/results/json.h"
#include "live/live_samples.h"
#include "live/session.h"
#include "serve/sessions/sessions.h"

namespace atto::session_test {
namespace {

// Waits for what sessions tell.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  template <class Condition>
  void wait(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

using Points = std::map<std::pair<uint32_t, uint32_t>, std::vector<float>>;
Points points_of(const Frame& frame) {
  Points points;
  for (const FrameBlock& block : frame.blocks) {
    std::vector<float>& own = points[{block.run, block.series}];
    own.insert(own.end(), block.values.begin(), block.values.end());
  }
  return points;
}

std::string request(const std::string& text = kLiveStudy) { return Json{{"text", text}}.dump(); }

// What never ends by itself.
std::string endless() {
  std::string text = kLiveStudy;
  text.replace(text.find("steps = 300"), 11, "steps = 1000000000");
  text.replace(text.find("every = 10\n"), 11, "linear = 10\n");
  return request(text);
}

TEST(Session, TrainsWhatOneThreadWould) {
  Frame expected;
  const auto alone = open_session(request());
  while (!alone->ended()) {
    const Frame frame = alone->advance(1e9);
    expected = FrameLog::merge({std::make_shared<Frame>(expected), std::make_shared<Frame>(frame)});
  }
  for (const int threads : {1, 2, 4, 100}) {
    Bell bell;
    SessionOptions options;
    options.threads = threads;
    options.slice_ms = 1;
    options.on_news = [&] { bell.ring(); };
    Session session(request(), options);
    bell.wait([&] { return session.over(); });
    EXPECT_EQ(session.failure(), "");
    EXPECT_EQ(parse_json(session.runs_json()), parse_json(session_json(*alone)));
    const Frame seen = session.log().all();
    EXPECT_TRUE(seen.ended);
    EXPECT_EQ(seen.steps, expected.steps);
    EXPECT_EQ(seen.runs.size(), expected.runs.size());
    EXPECT_EQ(points_of(seen), points_of(expected)) << threads;
  }
}

TEST(Session, BeginsWithTheLimitOfItsRequest) {
  Bell bell;
  SessionOptions options;
  options.threads = 2;
  options.slice_ms = 1;
  options.on_news = [&] { bell.ring(); };
  Json asked = parse_json(endless());
  for (const Json& bad : {Json("far"), Json(1.5), Json::array()}) {
    asked["step"] = bad;
    EXPECT_THROW(Session(asked.dump(), options), Error) << bad;
  }
  asked["step"] = 7;
  Session session(asked.dump(), options);
  const auto all_at = [&](int64_t step) {
    return [&session, step] {
      const Frame seen = session.log().all();
      return seen.runs.size() == 6 &&
             std::all_of(seen.runs.begin(), seen.runs.end(), [&](const RunNews& run) { return run.step == step; });
    };
  };
  bell.wait(all_at(7));
  session.limit(20);
  bell.wait(all_at(20));
}

TEST(Session, TrainsNoRunBeyondALimit) {
  Bell bell;
  SessionOptions options;
  options.threads = 2;
  options.slice_ms = 1;
  options.on_news = [&] { bell.ring(); };
  Session session(endless(), options);
  constexpr int64_t kLimit = 20'000;
  session.limit(kLimit);
  const auto all_there = [&] {
    const Frame seen = session.log().all();
    return seen.runs.size() == 6 &&
           std::all_of(seen.runs.begin(), seen.runs.end(), [](const RunNews& run) { return run.step >= kLimit; });
  };
  bell.wait(all_there);
  session.pause();
  session.resume();
  for (const RunNews& run : session.log().all().runs) EXPECT_EQ(run.step, kLimit);
  session.limit(kLimit + 10);
  bell.wait([&] {
    for (const RunNews& run : session.log().all().runs)
      if (run.step != kLimit + 10) return false;
    return true;
  });
  EXPECT_FALSE(session.over());
  session.close();
  EXPECT_TRUE(session.over());
}

TEST(Session, RefusesWhatCannotBeTrained) {
  EXPECT_THROW(Session("{}", {}), Error);
  EXPECT_THROW(Session("no JSON", {}), Error);
  EXPECT_THROW(Session(request("[data]\nvocab = 0\n"), {}), Error);
}

TEST(Sessions, CloseTheOneThatNobodyWatchedForLongest) {
  SessionOptions options;
  options.threads = 1;
  Sessions sessions(options, 2);
  const auto open = [&] { return parse_json(sessions.open(endless()))["session"].get<std::string>(); };
  const std::string first = open(), second = open();
  const auto stream = watch_session(sessions.find(first), 0);
  const std::string third = open();
  EXPECT_THROW(sessions.find(second), Error);
  const auto other = watch_session(sessions.find(third), 0);
  EXPECT_THROW(open(), Error) << "both are watched";
  sessions.close(first);
  http::Events events;
  while (stream->append_new(events) == http::EventStream::Then::again) {
  }
  EXPECT_TRUE(events.texts().back()->ends_with("event: over\ndata: {}\n\n"));
  open();
  sessions.close_all();
  EXPECT_THROW(sessions.find(third), Error);
}

}  // namespace
}  // namespace atto::session_test
