// Every MLP, by the word a study calls it by. A new one is a file that defines make_<name>_mlp() and one line here.
#include "network/layers/blocks.h"
#include "network/parts.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_MLPS
#define ATTO_MORE_MLPS(ENTRY)
#endif

#define ATTO_MLPS(ENTRY) \
  ENTRY(gelu)            \
  ENTRY(relu)            \
  ATTO_MORE_MLPS(ENTRY)

namespace atto {

#define DECLARE(name)                                                                                            \
  std::unique_ptr<Layer> make_##name##_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix, \
                                           const Residual& residual, const Stream& input, const Stream& output);
ATTO_MLPS(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  MakeMlp make;
};

constexpr Entry kMlps[] = {
#define LIST(name) {#name, make_##name##_mlp},
    ATTO_MLPS(LIST)
#undef LIST
};

}  // namespace

MakeMlp mlp_maker(const NetworkConfig& config) {
  for (const Entry& one : kMlps)
    if (one.name == config.mlp) return one.make;
  return nullptr;
}

bool has_mlp(const NetworkConfig& config) { return mlp_maker(config) != nullptr; }

std::vector<std::string> mlp_names() {
  std::vector<std::string> names{"none"};
  for (const Entry& one : kMlps) names.emplace_back(one.name);
  return names;
}

}  // namespace atto
