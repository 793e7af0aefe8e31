// How many sequences observables look at.
#include "observe/probes.h"

#include <gtest/gtest.h>

#include "network_run.h"

namespace atto::probes_test {
namespace {

RunConfig of_context(int64_t context) {
  RunConfig config;
  config.data.context = context;
  return config;
}

TEST(Probes, FewAreAGroupOfLanesAndManyAreFewerWhereTheyAreLong) {
  struct Case {
    int64_t context;
    int many;
  };
  for (const auto& [context, many] : {Case{3, 256}, Case{16, 256}, Case{17, 240}, Case{100, 32}, Case{300, 16}}) {
    NetworkRun run(of_context(context));
    NetworkProbes probes(run);
    EXPECT_EQ(probes.few().sequences(), 16) << context;
    EXPECT_EQ(probes.many().sequences(), many) << context;
    EXPECT_EQ(probes.scores().sequences(), many) << context;
    for (const auto& [kind, sequences] : {std::pair(ProbeKind::few, 16), std::pair(ProbeKind::many, many)})
      EXPECT_EQ(NetworkProbes::bytes(run.spec(), kind), Probe::bytes(run.spec(), sequences)) << context;
  }
}

}  // namespace
}  // namespace atto::probes_test
