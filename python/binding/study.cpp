#include "study.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "bindings.h"
#include "lab/results/json.h"
#include "lab/study/run_files.h"
#include "lab/study/toml_reader.h"
#include "observe/observable.h"
#include "spec/run_spec.h"
#include "without_gil.h"

namespace atto::python {
namespace {

nb::object scalar_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return nb::bool_(*flag);
  if (const auto* whole = std::get_if<int64_t>(&value)) return nb::int_(*whole);
  if (const auto* real = std::get_if<double>(&value)) return nb::float_(*real);
  return nb::cast(std::get<std::string>(value));
}

// Whether a table, by its path, has axes: their order is that of the cells. Dictionaries within dictionaries would lose
// it where keys of [data] and [network] take turns, so these have full keys.
bool has_axes(const std::string& path) {
  for (const std::string_view end : {"sweep.grid", "sweep.zip", "sweep.cells", "multiverse.choices"})
    if (path.ends_with(end)) return true;
  return false;
}

// What a TOML text says as dict, list and plain values, in its order; `path` is that of the node.
nb::object tree_of(const TomlDocument& document, const TomlNode& node, const std::string& path) {
  if (node.kind == TomlNode::Kind::scalar) return scalar_of(node.scalar);
  if (node.kind == TomlNode::Kind::list) {
    nb::list list;
    for (const TomlNode& item : node.items) list.append(tree_of(document, item, path));
    return list;
  }
  nb::dict table;
  if (has_axes(path))
    for (const Leaf& leaf : leaves(document, node))
      table[leaf.key.c_str()] = tree_of(document, *leaf.node, path + "." + leaf.key);
  else
    for (const TomlEntry& entry : node.entries)
      table[entry.key.c_str()] = tree_of(document, entry.value, path.empty() ? entry.key : path + "." + entry.key);
  return table;
}

nb::object toml_tree(const std::string& text, const std::string& path) {
  const TomlDocument document = parse_toml(text, path);
  return tree_of(document, document.root, "");
}

CheckedStudy check_study(const std::string& text, const std::string& path, const std::string& profile,
                         const std::vector<std::string>& set, std::optional<int64_t> seeds,
                         const std::optional<std::string>& until, std::optional<int64_t> most, const nb::list& parts,
                         const std::optional<std::vector<std::pair<size_t, int64_t>>>& picked) {
  const HostedParts hosted = hosted_parts(parts);
  const WithoutGil release;
  StudyOptions options;
  options.profile = profile;
  options.set = set;
  options.seeds = seeds;
  if (until) options.until = from_word<Until>(*until);
  options.most = most;
  CheckedStudy checked;
  checked.calls = hosted.calls;
  checked.failures = hosted.failures;
  checked.study = parse_study(text, path, options, hosted.parts);
  checked.cells = expand_cells(checked.study);
  checked.picked = picked.has_value();
  checked.runs = picked ? expand_runs(checked.study, checked.cells, places_of(*picked))
                        : expand_runs(checked.study, checked.cells);
  checked.variant = variant_name(checked.study, options);
  return checked;
}

std::string cells_json(const CheckedStudy& checked) {
  Json list = Json::array();
  for (const Cell& cell : checked.cells)
    list.push_back(
        {{"overrides", to_json(cell.overrides)}, {"seeds", cell.seeds}, {"text", cell_text(cell.overrides)}});
  return list.dump();
}

std::vector<std::string> run_ids(const CheckedStudy& checked) {
  std::vector<std::string> ids;
  for (const Run& run : checked.runs) ids.push_back(run.id);
  return ids;
}

// Name, title, profile and what the figures, claims, phenomena and quantities are called.
std::string about(const CheckedStudy& checked) {
  const Study& study = checked.study;
  Json figures = Json::array(), claims = Json::array(), phenomena = Json::array(), quantities = Json::array();
  for (const FigurePlan& figure : study.figures) figures.push_back(figure.name);
  for (const Claim& claim : study.claims) claims.push_back(claim.id);
  for (const Phenomenon& one : study.phenomena) phenomena.push_back(one.name);
  for (const DerivedQuantity& one : study.quantities) quantities.push_back(one.name);
  Json axes = Json::array();
  for (const Sweep::Axis& axis : study.sweep.grid) axes.push_back(axis.key);
  for (const auto& zip : study.sweep.zips)
    for (const Sweep::Axis& axis : zip) axes.push_back(axis.key);
  return Json{{"name", study.name},
              {"title", study.title},
              {"source", study.source},
              {"summary", study.summary},
              {"profile", study.profile},
              {"profiles", study.profiles},
              {"figures", figures},
              {"claims", claims},
              {"phenomena", phenomena},
              {"quantities", quantities},
              {"axes", axes}}
      .dump();
}

std::string observables_json(const std::string& config, const nb::list& parts) {
  Json list = Json::array();
  for (const Observable& one : all_observables(RunSpec(config_of(config, *hosted_parts(parts).parts))))
    if (!one.alias) list.push_back({{"address", one.address}, {"help", one.help}, {"shape", one.shape}});
  return list.dump();
}

}  // namespace

std::vector<RunPlace> places_of(const std::vector<std::pair<size_t, int64_t>>& pairs) {
  std::vector<RunPlace> places;
  for (const auto& [cell, seed] : pairs) places.push_back({cell, seed});
  return places;
}

std::vector<std::pair<size_t, int64_t>> pairs_of(const std::vector<RunPlace>& places) {
  std::vector<std::pair<size_t, int64_t>> pairs;
  for (const RunPlace& place : places) pairs.emplace_back(place.cell, place.seed);
  return pairs;
}

Json parse_json(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::config, "a setting holds a text that is no Unicode", "leave out lone surrogates");
  }
}

RunConfig config_of(const std::string& json, const OwnParts& parts) {
  RunConfig config;
  const Json table = parse_json(json);
  for (const auto& [key, value] : table.items()) {
    const RunField& field = run_schema().at(key);
    field.assign(config, field.read(value_of(value)));
  }
  NumberFiles files(".", parts.arrays);
  attach_files(config, files);
  attach_parts(config, parts);
  return config;
}

void bind_study(nb::module_& module) {
  module.def("toml_tree", &toml_tree);
  module.def("observables_json", &observables_json);
  nb::class_<CheckedStudy>(module, "CheckedStudy")
      .def("cells_json", &cells_json)
      .def("run_ids", &run_ids)
      .def_prop_ro("first_seed", [](const CheckedStudy& self) { return self.study.seeds.first; })
      // The files of numbers that its runs name, as the study writes their paths, and where they are.
      .def_prop_ro("files",
                   [](const CheckedStudy& self) {
                     nb::dict files;
                     for (const std::string& path : self.study.files->paths())
                       files[path.c_str()] = (self.study.files->folder() / path).string();
                     return files;
                   })
      .def("about", &about);
  module.def("check_study", &check_study, nb::arg("text"), nb::arg("path"), nb::arg("profile"), nb::arg("set"),
             nb::arg("seeds").none(), nb::arg("until").none(), nb::arg("most").none(), nb::arg("parts"),
             nb::arg("picked") = nb::none());
}

}  // namespace atto::python
