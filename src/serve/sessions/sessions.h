// The sessions that are open, by name, and the streams of those who watch them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/http/server.h"
#include "serve/sessions/session.h"

namespace atto {

class Sessions {
 public:
  Sessions(const SessionOptions& options, size_t most) : options_(options), most_(most) {}

  // {"session", "runs"}. Where too many are open, the one that nobody has watched for longest is closed;
  // Error(resources) where all are watched.
  std::string open(const std::string& request);
  // Error(missing) for a session that is not there (any more).
  std::shared_ptr<Session> find(const std::string& name) const;
  void close(const std::string& name);
  void close_all();

 private:
  void make_room();  // with the lock
  void retire(std::map<std::string, std::shared_ptr<Session>>::iterator session);

  const SessionOptions options_;
  const size_t most_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  // Closed ones are dropped here and by nobody who watches: it takes until their threads have ended.
  std::vector<std::shared_ptr<Session>> closed_;
};

// What is new in the session after `place`: frames as `data`, at the end "over" or "failed" with what went wrong.
std::shared_ptr<http::EventStream> watch_session(std::shared_ptr<Session> session, size_t place);

}  // namespace atto
