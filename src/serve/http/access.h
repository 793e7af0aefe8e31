// Who may speak to the server. A page of any other site can make a reader's browser send requests here, and a name that
// its owner points at 127.0.0.1 makes the browser believe that it is the same site (DNS rebinding). So a request must
// name this server (Host), come from its own page (Origin, Sec-Fetch-Site) and know the token that stands in the link.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/message.h"

namespace atto::http {

struct AccessRules {
  int port = 0;
  std::string token;
  // Names besides 127.0.0.1, localhost and [::1] under which it is reached, "hub.example.org" or with a port: those of
  // a proxy. A name without a port stands for all of them.
  std::vector<std::string> allowed_hosts;
};

// Why the request is turned away; nothing where it may pass. Looks at the head only, so that nobody can make the server
// read a body that it will not take.
std::optional<Response> turn_away(const Request& request, const AccessRules& rules);

// Tokens of different servers on one machine stand next to each other in a browser, which does not tell ports apart.
std::string cookie_name(const AccessRules& rules);
// What makes a browser remember the token: for this server alone, not for scripts, never on behalf of another site.
std::string token_cookie(const AccessRules& rules);

// A link with the token asked for the page: send the browser on to the address without it, so that it is not kept in
// its history.
bool is_link(const Request& request);

// 128 bits from the system, in hexadecimal.
std::string random_token();

}  // namespace atto::http
