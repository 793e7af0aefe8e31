// `atto serve`: the page, the engine and the store behind one address.
#pragma once

#include <memory>
#include <string>

#include "serve/api/api.h"
#include "serve/http/server.h"

namespace atto {

class StudyServer {
 public:
  // Serves from here on, on threads of its own. Throws what http::Server throws.
  StudyServer(const http::ServerOptions& server, const ApiOptions& api);
  ~StudyServer();  // as stop()

  // The link with the token that opens the page.
  std::string url() const;
  int port() const;
  const std::string& token() const;
  // Drops all clients and ends what trains; a study that was being trained into the store goes on from there another
  // time.
  void stop();

 private:
  http::Server server_;
  Api api_;
};

}  // namespace atto
