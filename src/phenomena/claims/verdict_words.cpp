#include "phenomena/claims/verdict_words.h"

namespace atto {

bool is_off_scope(const Provenance& provenance) {
  return provenance.origin != Origin::ours && provenance.scope && *provenance.scope != Scope::published;
}

const char* phrase(Origin origin) {
  switch (origin) {
    case Origin::published:
      return "published";
    case Origin::figure:
      return "read off a figure";
    case Origin::ours:
      return "the lab's own";
  }
  return "";
}

const char* phrase(Scope scope) {
  switch (scope) {
    case Scope::published:
      return "published size and recipe";
    case Scope::recipe:
      return "published size, recipe guessed";
    case Scope::scaled:
      return "scaled down";
  }
  return "";
}

std::string verdict_word(VerdictKind kind, const Provenance& provenance) {
  if (kind == VerdictKind::inconclusive || !is_off_scope(provenance)) return to_word(kind);
  return kind == VerdictKind::supported ? "found" : "not found";
}

std::string verdict_place(VerdictKind kind, const Provenance& provenance, const std::string& at) {
  if (kind == VerdictKind::inconclusive || !is_off_scope(provenance)) return "";
  if (*provenance.scope == Scope::recipe) return "at the published size, with a guessed recipe";
  return "at " + (at.empty() ? "smaller sizes" : at);
}

std::string verdict_text(VerdictKind kind, const Provenance& provenance, const std::string& at) {
  const std::string place = verdict_place(kind, provenance, at);
  return verdict_word(kind, provenance) + (place.empty() ? "" : " " + place);
}

}  // namespace atto
