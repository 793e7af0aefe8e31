// What can be asked of the server, and who answers it. docs/serve.md has the table.
#pragma once

#include <memory>
#include <string>

#include "serve/api/work_queue.h"
#include "serve/http/server.h"
#include "serve/library/library.h"
#include "serve/library/training.h"
#include "serve/sessions/sessions.h"

namespace atto {

struct ApiOptions {
  std::string studies;  // the folder
  std::string store;
  std::string page;  // what "/" shows
  int threads = 0;   // that train, 0: one for every core
  double checkpoint = 30;
  size_t most_sessions = 8;
  OpenStore open_store = open_alone;
};

class Api {
 public:
  // `on_news` is called by any thread when streams have something to tell.
  Api(const ApiOptions& options, const http::AccessRules& access, const std::function<void()>& on_news);
  ~Api();  // as stop()

  void handle(http::Request request, http::Reply reply);  // as http::Handler
  void stop();  // ends what trains, at a checkpoint where it goes to the store

 private:
  struct Route;
  static const std::vector<Route>& routes();
  http::Response open_page(const http::Request& request) const;
  void later(WorkQueue& queue, std::function<std::string()> answer, http::Reply reply);

  const ApiOptions options_;
  const http::AccessRules& access_;
  Library library_;
  Sessions sessions_;
  Trainings trainings_;
  WorkQueue questions_, archive_;  // what computes, what reads the store
};

}  // namespace atto
