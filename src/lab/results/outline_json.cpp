#include "lab/results/outline_json.h"

namespace atto {

Json outline_json(const StudyOutline& outline) {
  const Study& study = outline.study;
  Json claims = Json::array(), profiles = Json::object(), figures = Json::array();
  for (const FigurePlan& plan : study.figures) figures.push_back(plan.name);
  for (const Claim& claim : study.claims)
    claims.push_back({{"claim", claim.id},
                      {"statement", claim.statement},
                      {"source", claim.source},
                      {"published", claim.published},
                      {"origin", to_word(claim.provenance.origin)},
                      {"scope", claim.provenance.scope ? Json(to_word(*claim.provenance.scope)) : Json(nullptr)}});
  for (const StudyOutline::Profile& size : outline.profiles)
    profiles[size.name] = {{"cells", size.cells}, {"fewest_seeds", size.fewest_seeds}, {"most_seeds", size.most_seeds}};
  return {{"study", study.name}, {"title", study.title}, {"source", study.source}, {"summary", study.summary},
          {"path", study.path},  {"profiles", profiles}, {"claims", claims},       {"figures", figures}};
}

}  // namespace atto
