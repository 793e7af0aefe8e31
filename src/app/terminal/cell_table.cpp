#include "app/terminal/cell_table.h"

#include <algorithm>

#include "app/terminal/text_table.h"

namespace atto {
namespace {

std::string seeds_text(const CellResult& cell) {
  std::string text = count_text(cell.seeds);
  if (cell.diverged > 0) text += " (" + count_text(cell.diverged) + " diverged)";
  return text;
}

// "; 24 near 34.6, 8 near 47.1" when the seeds of a cell end in several kinds of place.
std::string basins_text(const ObservableSummary& observable) {
  if (observable.basins.size() < 2 || observable.address != "perplexity") return "";
  std::string text;
  for (const Basin& basin : observable.basins)
    text += (text.empty() ? "; " : ", ") + count_text(basin.count) + " near " + number_text(basin.median);
  return text;
}

std::string observable_text(const CellResult& cell, const std::string& address) {
  const ObservableSummary* found = find_observable(cell, address);
  return found ? spread_text(found->median, found->q25, found->q75) + basins_text(*found) : "-";
}

std::string found_text(const CellResult& cell, const std::string& name) {
  const QuantitySummary* found = find_quantity(cell, name);
  return found ? quantity_text(*found) : "-";
}

// Names over all cells in order of first appearance: cells may differ in what they offer.
template <class List, class Name>
std::vector<std::string> names_over(const std::vector<CellResult>& cells, List list, Name name) {
  std::vector<std::string> names;
  for (const CellResult& cell : cells)
    for (const auto& one : cell.*list)
      if (std::find(names.begin(), names.end(), one.*name) == names.end()) names.push_back(one.*name);
  return names;
}

}  // namespace

std::string cell_tables(const StudyResult& result, const Terminal& terminal) {
  const auto addresses = names_over(result.cells, &CellResult::observables, &ObservableSummary::address);
  const auto quantities = names_over(result.cells, &CellResult::quantities, &QuantitySummary::name);

  // One list of texts per cell: heading, seeds, finals, findings. The widest decides how many cells share a table.
  std::vector<std::vector<std::string>> columns;
  size_t widest = 1;
  for (const CellResult& cell : result.cells) {
    std::vector<std::string> texts = {cell_label(cell.cell.overrides), seeds_text(cell)};
    for (const auto& address : addresses) texts.push_back(observable_text(cell, address));
    for (const auto& name : quantities) texts.push_back(found_text(cell, name));
    for (const auto& text : texts) widest = std::max(widest, text_width(text) + 2);
    columns.push_back(std::move(texts));
  }
  std::vector<std::string> names = {"seeds"};
  for (const auto& address : addresses) names.push_back("final " + address);
  for (const auto& name : quantities) names.push_back(name);
  size_t names_width = 0;
  for (const auto& name : names) names_width = std::max(names_width, text_width(name));

  const size_t room = terminal.width > names_width ? terminal.width - names_width : 0;
  const size_t side_by_side = std::max<size_t>(1, room / widest);
  std::string out;
  for (size_t first = 0; first < columns.size(); first += side_by_side) {
    const size_t last = std::min(columns.size(), first + side_by_side);
    std::vector<Column> heads = {{""}};
    for (size_t cell = first; cell < last; ++cell) heads.push_back({columns[cell][0]});
    Table table(std::move(heads));
    for (size_t line = 0; line < names.size(); ++line) {
      std::vector<TableCell> cells = {{names[line], Style::dim}};
      for (size_t cell = first; cell < last; ++cell) cells.emplace_back(columns[cell][line + 1]);
      table.row(std::move(cells));
    }
    out += (first == 0 ? "" : "\n") + table.render(terminal);
  }
  return out;
}

}  // namespace atto
