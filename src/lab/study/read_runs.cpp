// The parts of a study that say which runs there are: [sweep] and [seeds].
#include <algorithm>
#include <map>

#include "lab/study/parts.h"

namespace atto {
namespace {

Sweep::Axis read_axis(const TomlDocument& document, const Leaf& leaf) {
  const TomlNode& list = *leaf.node;
  if (list.kind != TomlNode::Kind::list)
    document.fail(list.place, leaf.key + " must be a list of values to sweep over, found " + kind_text(list),
                  "a single value belongs into the base run: [data], [network] or [training]");
  run_field(document, leaf);  // an unknown key is worse than an empty list
  if (list.items.empty()) document.fail(list.place, leaf.key + " sweeps over no values");
  Sweep::Axis axis{leaf.key, {}};
  for (const TomlNode& item : list.items) axis.values.push_back(run_value(document, leaf, item));
  return axis;
}

// Keys of different groups multiply, so a key in two of them would be set twice.
class KeyRegister {
 public:
  explicit KeyRegister(const TomlDocument& document) : document_(document) {}
  void claim(const Leaf& leaf, const std::string& group) {
    const auto [entry, fresh] = groups_.insert({leaf.key, group});
    if (!fresh && entry->second != group)
      document_.fail(leaf.place, leaf.key + " is swept in " + entry->second + " already");
  }

 private:
  const TomlDocument& document_;
  std::map<std::string, std::string> groups_;
};

}  // namespace

Sweep read_sweep(const TomlDocument& document, const TomlNode& node) {
  TomlReader reader(document, node, "[sweep]");
  Sweep sweep;
  KeyRegister keys(document);
  if (const TomlNode* grid = reader.table("grid")) {
    const auto axes = leaves(document, *grid);
    if (axes.empty()) document.fail(grid->place, "[sweep.grid] has no axis");
    for (const Leaf& leaf : axes) {
      keys.claim(leaf, "[sweep.grid]");
      sweep.grid.push_back(read_axis(document, leaf));
    }
  }
  const TomlNode* zip_list = reader.find("zip");
  const auto zips = table_list(document, zip_list, "sweep.zip");
  for (const TomlNode* group : zips) {
    std::vector<Sweep::Axis> axes;
    for (const Leaf& leaf : leaves(document, *group)) {
      keys.claim(leaf, "[[sweep.zip]] number " + std::to_string(sweep.zips.size() + 1));
      axes.push_back(read_axis(document, leaf));
      if (axes.back().values.size() != axes.front().values.size())
        document.fail(leaf.node->place, "zipped axes advance together, but " + axes.front().key + " has " +
                                            std::to_string(axes.front().values.size()) + " values and " + leaf.key +
                                            " has " + std::to_string(axes.back().values.size()));
    }
    if (axes.empty()) document.fail(group->place, "[[sweep.zip]] has no axis");
    sweep.zips.push_back(std::move(axes));
  }
  const TomlNode* cell_list = reader.find("cells");
  const auto cells = table_list(document, cell_list, "sweep.cells");
  for (const TomlNode* cell : cells) {
    for (const Leaf& leaf : leaves(document, *cell)) keys.claim(leaf, "[[sweep.cells]]");
    sweep.cells.push_back(run_values(document, *cell));
  }
  reader.finish();
  if (zip_list && zips.empty()) document.fail(zip_list->place, "sweep.zip is empty");
  if (cell_list && cells.empty()) document.fail(cell_list->place, "sweep.cells is empty");
  if (sweep.grid.empty() && sweep.zips.empty() && sweep.cells.empty())
    document.fail(node.place, "the sweep is empty",
                  "give it a [sweep.grid], [[sweep.zip]] or [[sweep.cells]], or leave [sweep] out for a single cell");
  return sweep;
}

SeedPlan read_seeds(const TomlDocument& document, const TomlNode& node, StudyPlaces& places) {
  TomlReader reader(document, node, "[seeds]");
  SeedPlan seeds;
  places.seeds = node.place;
  places.exceptions.clear();
  Fields fields;
  fields.all_of(seeds, seed_plan_schema());
  std::vector<std::string> keys{"exceptions"};
  for (const Field& field : fields.all()) keys.push_back(field.key);
  reader.allow(keys);  // `most` without a misspelt `until` would have no meaning
  reader.apply(fields);
  if (const TomlNode* most = reader.find("most")) {
    if (seeds.until == Until::count)
      reader.fail(*most, "most has no meaning for a fixed number of seeds", "add until = \"decided\"");
  }
  if (seeds.until == Until::decided && seeds.most < seeds.count) {
    const TomlNode* const most = reader.find("most");
    document.fail(most ? most->place : node.place,
                  "most = " + std::to_string(seeds.most) + (most ? "" : " (its default)") + " is less than the " +
                      std::to_string(seeds.count) + " seeds of the first look",
                  "raise it, or lower `count`");
  }
  for (const TomlNode* table : table_list(document, reader.find("exceptions"), "seeds.exceptions")) {
    TomlReader exception(document, *table, "[[seeds.exceptions]]");
    int64_t count = 0;
    const TomlNode& number = exception.require("count");
    Fields own;
    own.integer("count", count, 1, kMaxRuns, "");
    exception.apply(own);
    if (seeds.until == Until::decided && count > seeds.most)
      document.fail(number.place,
                    "count = " + std::to_string(count) + " of an exception is more than most = " +
                        std::to_string(seeds.most) + ", the seeds that a cell may come to",
                    "raise `most` of [seeds], or lower this count");
    const TomlNode& where = exception.require("where");
    exception.finish();
    seeds.exceptions.emplace_back(run_values(document, where), count);
    places.exceptions.push_back(where.place);
  }
  reader.finish();
  return seeds;
}

Multiverse read_multiverse(const TomlDocument& document, const TomlNode& node, const Study& study) {
  TomlReader reader(document, node, "[multiverse]");
  Multiverse multiverse;
  const TomlNode& choices = reader.require("choices");
  if (choices.kind != TomlNode::Kind::table)
    reader.fail(choices, "choices must be a table of keys with lists of values");
  int64_t recipes = 1;
  for (const Leaf& leaf : leaves(document, choices)) {
    multiverse.choices.push_back(read_axis(document, leaf));
    recipes *= std::ssize(multiverse.choices.back().values);
    if (recipes > kMaxRecipes)
      document.fail(leaf.place, "the choices make more than " + std::to_string(kMaxRecipes) + " recipes",
                    "leave out choices that nobody disputes, or split them over two studies");
  }
  if (multiverse.choices.empty()) reader.fail(choices, "the multiverse has no choices");
  const TomlNode& claims = reader.require("claims");
  multiverse.claims = word_list(document, claims, "claims");
  for (size_t i = 0; i < multiverse.claims.size(); ++i) {
    const auto named = [&](const Claim& claim) { return claim.id == multiverse.claims[i]; };
    const auto found = std::find_if(study.claims.begin(), study.claims.end(), named);
    if (found == study.claims.end())
      document.fail(claims.items[i].place, "the study has no claim '" + multiverse.claims[i] + "'",
                    "name ids of its [[claim]]s");
    if (found->statistic == Statistic::fit || !found->tune.empty())
      document.fail(claims.items[i].place, "a claim about a fit or a tuned key is not judged in recipes",
                    "name claims about a rate, a median or a mean");
  }
  Fields fields;
  fields.integer("seeds", multiverse.seeds, kFewestValues, kMaxRuns, "");
  reader.apply(fields);
  reader.finish();
  return multiverse;
}

}  // namespace atto
