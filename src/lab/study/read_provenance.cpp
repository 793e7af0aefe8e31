// Where claims come from and how near to the publication they are tested.
#include "lab/study/parts.h"

namespace atto {
namespace {

// The keys `origin` and `scope`, where the table has them.
void read_words(TomlReader& reader, Provenance& provenance) {
  Fields origin;
  origin.choice("origin", provenance.origin, "");
  reader.apply(origin);
  if (reader.find("scope") == nullptr) return;
  Scope scope = Scope::published;
  Fields fields;
  fields.choice("scope", scope, "");
  reader.apply(fields);
  provenance.scope = scope;
}

void require_scale(const TomlReader& reader, const TomlNode* scope, const Study& study) {
  if (!study.scale.empty()) return;
  const std::string message = "scope = \"scaled\" without the keys that tell the sizes",
                    remedy = "add scale = [\"network.width\", \"data.context\"] to the top of the study";
  if (scope != nullptr) reader.fail(*scope, message, remedy);
  reader.document().fail(reader.place(), message, remedy);
}

}  // namespace

void read_provenance(TomlReader& root, Study& study) {
  read_words(root, study.provenance);
  study.calibrated = root.text("calibrated");
  const TomlNode* scale = root.find("scale");
  if (scale == nullptr) return;
  study.scale = word_list(root.document(), *scale, "scale");
  for (const TomlNode& item : scale->items)
    run_field(root.document(), {std::get<std::string>(item.scalar), item.place, &item});
}

void read_provenance(TomlReader& reader, const Study& study, Claim& claim) {
  claim.provenance = study.provenance;
  read_words(reader, claim.provenance);
  Provenance& provenance = claim.provenance;
  const TomlNode* const scope = reader.find("scope");
  if (provenance.origin == Origin::ours) {
    if (scope != nullptr)
      reader.fail(*scope, "scope has no meaning for a claim of the lab's own: there is no published size",
                  "take it out, or say where the claim comes from: origin = \"published\" or \"figure\"");
    provenance.scope.reset();
    return;
  }
  if (!provenance.scope) {
    const TomlNode* const origin = reader.find("origin");
    const std::string message = std::string("origin = \"") + to_word(provenance.origin) + "\" without a scope",
                      remedy = "add scope = \"published\", \"recipe\" or \"scaled\" to the claim or to the study";
    if (origin != nullptr) reader.fail(*origin, message, remedy);
    reader.document().fail(reader.place(), message, remedy);
  }
  if (*provenance.scope == Scope::scaled) require_scale(reader, scope, study);
}

void read_profile_scope(TomlReader& reader, Study& study) {
  const TomlNode* const node = reader.find("scope");
  if (node == nullptr) return;
  Scope scope = Scope::published;
  Fields fields;
  fields.choice("scope", scope, "");
  reader.apply(fields);
  if (scope == Scope::scaled) require_scale(reader, node, study);
  for (Claim& claim : study.claims)
    if (claim.provenance.origin != Origin::ours) claim.provenance.scope = scope;
}

}  // namespace atto
