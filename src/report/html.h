// HTML text. Whatever comes from a study's file or from the store passes through escaped().
#pragma once

#include <string>
#include <string_view>

#include "lab/results/json.h"

namespace atto {

// & < > " ' as entities: safe as text and inside a quoted attribute.
std::string escaped(std::string_view text);

// <name attributes>content</name>; attributes and content are HTML already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = "");
// The same around text, which is escaped.
std::string text_element(std::string_view name, std::string_view text, std::string_view attributes = "");

// JSON for a <script> element: no byte of it can end the element or begin a comment. Bytes that are not UTF-8 are
// replaced.
std::string script_json(const Json& json);

// Letters, digits and dashes of a name, for ids and links: "S1.1-v4" → "S1-1-v4".
std::string slug(std::string_view name);

// The text with the addresses in it (https://…) made links.
std::string linked(std::string_view text);

}  // namespace atto
