#include "lab/results/answers.h"

#include <algorithm>

#include "lab/results/format_text.h"
#include "phenomena/claims/verdict_words.h"

namespace atto {
namespace {

constexpr size_t kMostAnswers = 3;  // of a publication

std::string tally_text(const std::vector<const ClaimResult*>& claims) {
  const auto count = [&](VerdictKind kind) {
    return std::count_if(claims.begin(), claims.end(), [&](const auto* one) { return one->verdict.kind == kind; });
  };
  const auto held = count(VerdictKind::supported), failed = count(VerdictKind::refuted);
  return "of " + count_text(std::ssize(claims), "claim") + " " + count_text(held) +
         (held == 1 ? " holds, " : " hold, ") + count_text(failed) + (failed == 1 ? " does not, " : " do not, ") +
         count_text(std::ssize(claims) - held - failed) + " open";
}

// Of those decided this way, the one with the least error; the first of equals.
const ClaimResult* firmest(const std::vector<const ClaimResult*>& claims, VerdictKind kind) {
  const ClaimResult* best = nullptr;
  for (const ClaimResult* one : claims)
    if (one->verdict.kind == kind && (!best || one->verdict.error.value_or(1) < best->verdict.error.value_or(1)))
      best = one;
  return best;
}

std::vector<const ClaimResult*> headlines(const std::vector<const ClaimResult*>& claims) {
  std::vector<const ClaimResult*> chosen;
  for (const ClaimResult* one : claims)
    if (one->claim.headline) chosen.push_back(one);
  if (chosen.empty())
    for (const VerdictKind kind : {VerdictKind::supported, VerdictKind::refuted})
      if (const ClaimResult* one = firmest(claims, kind)) chosen.push_back(one);
  if (chosen.size() > kMostAnswers) chosen.resize(kMostAnswers);
  return chosen;
}

}  // namespace

std::string publication_of(const std::string& source) {
  std::string name = source.substr(0, source.find(", http"));
  name = name.substr(0, name.find(';'));
  if (const std::string lead = "Question left open in "; name.starts_with(lead)) name = name.substr(lead.size());
  if (name.starts_with("this lab") || name.starts_with("the lab's own")) return "this lab";
  return name;
}

std::string answer_text(const ClaimResult& claim) {
  const Verdict& verdict = claim.verdict;
  std::string text = claim.claim.statement + ": " + verdict_text(verdict.kind, claim.claim.provenance, claim.at);
  if (verdict.estimate) text += ", " + estimate_text(verdict);
  text += " in " + count_text(verdict.seeds, "run");
  if (const std::string why = reason_text(claim.claim, verdict); !why.empty()) text += " (" + why + ")";
  return text + ".";
}

std::vector<SourceAnswers> answers_by_source(const std::vector<ClaimResult>& claims) {
  std::vector<std::pair<std::string, std::vector<const ClaimResult*>>> groups;
  for (const ClaimResult& one : claims) {
    const std::string name = publication_of(one.claim.source);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
    found->second.push_back(&one);
  }
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto place = [&](const ClaimResult* claim) { return static_cast<size_t>(claim - claims.data()); };
  std::vector<SourceAnswers> answers;
  for (const auto& [name, group] : groups) {
    SourceAnswers& one = answers.emplace_back(SourceAnswers{name, tally_text(group), {}, {}, {}});
    for (const ClaimResult* claim : group) one.claims.push_back(place(claim));
    for (const ClaimResult* claim : headlines(group)) {
      one.answers.push_back(answer_text(*claim));
      one.answered.push_back(place(claim));
    }
  }
  return answers;
}

std::vector<SourceLine> answer_lines(const std::vector<ClaimResult>& claims, size_t most) {
  const std::vector<SourceAnswers> sources = answers_by_source(claims);
  std::vector<size_t> taken(sources.size());  // answers of each source
  size_t lines = sources.size();
  for (size_t i = 0; i < sources.size(); ++i) taken[i] = std::min<size_t>(1, sources[i].answers.size());
  for (size_t round = 1; round < kMostAnswers; ++round)
    for (size_t i = 0; i < sources.size() && lines < most; ++i)
      if (taken[i] == round && sources[i].answers.size() > round) {
        ++taken[i];
        ++lines;
      }
  std::vector<SourceLine> list;
  for (size_t i = 0; i < sources.size(); ++i) {
    const SourceAnswers& one = sources[i];
    list.push_back({one.publication, one.tally + "." + (taken[i] > 0 ? " " + one.answers.front() : "")});
    for (size_t answer = 1; answer < taken[i]; ++answer) list.push_back({"", one.answers[answer]});
  }
  return list;
}

}  // namespace atto
