#include "serve/api/study_server.h"

namespace atto {

StudyServer::StudyServer(const http::ServerOptions& server, const ApiOptions& api)
    : server_(server), api_(api, server_.access(), [this] { server_.wake(); }) {
  server_.start(
      [this](http::Request request, http::Reply reply) { api_.handle(std::move(request), std::move(reply)); });
}

StudyServer::~StudyServer() { stop(); }

std::string StudyServer::url() const { return "http://127.0.0.1:" + std::to_string(port()) + "/?token=" + token(); }

int StudyServer::port() const { return server_.access().port; }
const std::string& StudyServer::token() const { return server_.access().token; }

void StudyServer::stop() {
  server_.stop();
  api_.stop();
}

}  // namespace atto
