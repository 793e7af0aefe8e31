#include "lab/figures/settings.h"

#include "spec/run_config.h"

namespace atto {
namespace {

std::vector<std::string> read_texts(const TomlDocument& document, const TomlNode& node, const std::string& key) {
  if (const auto* text = std::get_if<std::string>(&node.scalar); node.kind == TomlNode::Kind::scalar && text)
    return {*text};
  return word_list(document, node, key);
}

void check_run_key(const TomlDocument& document, const TomlNode& node, const std::string& key) {
  run_field(document, {key, node.place, &node});
}

// A list of tables, as opposed to one text or several.
bool is_filters(const TomlNode& node) {
  return node.kind == TomlNode::Kind::list && !node.items.empty() && node.items.front().kind == TomlNode::Kind::table;
}

Panels read_panels(const TomlDocument& document, const TomlNode& node, const std::string& key) {
  Panels panels;
  if (is_filters(node)) {
    for (const TomlNode& item : node.items) {
      if (item.kind != TomlNode::Kind::table) document.fail(item.place, key + " mixes tables with " + kind_text(item));
      panels.filters.push_back(run_values(document, item));
    }
    return panels;
  }
  panels.keys = read_texts(document, node, key);
  for (size_t i = 0; i < panels.keys.size(); ++i)
    check_run_key(document, node.kind == TomlNode::Kind::list ? node.items[i] : node, panels.keys[i]);
  return panels;
}

ReferenceLine read_line(const TomlDocument& document, const TomlEntry& entry) {
  const auto* text = std::get_if<std::string>(&entry.value.scalar);
  if (entry.value.kind != TomlNode::Kind::scalar || !text)
    document.fail(entry.value.place, "a line is an expression in quotes, found " + kind_text(entry.value),
                  "for example \"data.vocab / 2\"");
  ReferenceLine line{entry.key, {}};
  try {
    line.level = number_expression(*text);
  } catch (const ExpressionError& error) {
    document.fail(inside(entry.value, error.position()), error.what(), error.remedy());
  }
  for (const Expression::Name& name : line.level.names())
    if (name.name != "best_loss" && !run_schema().find(name.name))
      document.fail(inside(entry.value, name.position), unknown_run_key(name.name), "`atto help keys` lists every key");
  return line;
}

}  // namespace

FigureSettings& FigureSettings::add_field(const Field& field) {
  settings_.push_back(
      {field.key, field.allowed(), to_text(field.get()), field.help,
       [field](TomlReader& reader, const TomlNode& node) { set_field(reader.document(), field, node); }});
  return *this;
}

FigureSettings& FigureSettings::integer(const std::string& key, int64_t& target, double low, double high,
                                        const std::string& help) {
  return add_field(Fields().integer(key, target, low, high, help).at(key));
}

FigureSettings& FigureSettings::integer(const std::string& key, std::optional<int64_t>& target, double low, double high,
                                        const std::string& help) {
  int64_t any = 0;
  const std::string allowed = Fields().integer(key, any, low, high, help).at(key).allowed();
  settings_.push_back({key, allowed, "", help, [&target, key, low, high](TomlReader& reader, const TomlNode& node) {
                         int64_t value = 0;
                         Fields fields;
                         set_field(reader.document(), fields.integer(key, value, low, high, "").at(key), node);
                         target = value;
                       }});
  return *this;
}

FigureSettings& FigureSettings::number(const std::string& key, std::optional<double>& target, const std::string& help) {
  settings_.push_back({key, "a number", "", help, [&target, key](TomlReader& reader, const TomlNode& node) {
                         double value = 0;
                         Fields fields;
                         set_field(reader.document(), fields.real(key, value, -1e300, 1e300, "").at(key), node);
                         target = value;
                       }});
  return *this;
}

FigureSettings& FigureSettings::flag(const std::string& key, bool& target, const std::string& help) {
  return add_field(Fields().flag(key, target, help).at(key));
}

FigureSettings& FigureSettings::text(const std::string& key, std::string& target, const std::string& help) {
  return add_field(Fields().text(key, target, help).at(key));
}

FigureSettings& FigureSettings::texts(const std::string& key, std::vector<std::string>& target,
                                      const std::string& help) {
  settings_.push_back(
      {key, "a text or a list of texts", "", help, [&target, key](TomlReader& reader, const TomlNode& node) {
         target = read_texts(reader.document(), node, key);
       }});
  return *this;
}

FigureSettings& FigureSettings::run_key(const std::string& key, std::string& target, const std::string& help) {
  settings_.push_back({key, "a key of a run", target, help, [&target, key](TomlReader& reader, const TomlNode& node) {
                         target = reader.required_text(key);
                         check_run_key(reader.document(), node, target);
                       }});
  return *this;
}

FigureSettings& FigureSettings::panels(const std::string& key, Panels& target, const std::string& help) {
  settings_.push_back({key, "a key of a run, a list of keys, or a list of tables of keys and values", "", help,
                       [&target, key](TomlReader& reader, const TomlNode& node) {
                         target = read_panels(reader.document(), node, key);
                       }});
  return *this;
}

FigureSettings& FigureSettings::filter(const std::string& key, CellFilter& target, const std::string& help) {
  settings_.push_back(
      {key, "a table of keys and values", "", help, [&target, key](TomlReader& reader, const TomlNode&) {
         target = run_values(reader.document(), *reader.table(key));
       }});
  return *this;
}

FigureSettings& FigureSettings::lines(const std::string& key, std::vector<ReferenceLine>& target,
                                      const std::string& help) {
  settings_.push_back({key, "a table: label = \"expression over the keys of a run and best_loss\"", "", help,
                       [&target, key](TomlReader& reader, const TomlNode&) {
                         const TomlNode* table = reader.table(key);
                         for (const TomlEntry& entry : table->entries)
                           target.push_back(read_line(reader.document(), entry));
                       }});
  return *this;
}

FigureSettings& FigureSettings::steps(const std::string& key, std::vector<int64_t>& target, const std::string& help) {
  settings_.push_back(
      {key, "a list of training steps", "", help, [&target, key](TomlReader& reader, const TomlNode& node) {
         if (node.kind != TomlNode::Kind::list)
           reader.fail(node, key + " must be a list of steps, found " + kind_text(node));
         for (const TomlNode& item : node.items) {
           int64_t step = 0;
           Fields fields;
           set_field(reader.document(), fields.integer(key, step, 0, 1e12, "").at(key), item);
           target.push_back(step);
         }
       }});
  return *this;
}

void FigureSettings::read(TomlReader& reader) const {
  for (const Setting& setting : settings_)
    if (const TomlNode* node = reader.find(setting.key)) setting.read(reader, *node);
}

}  // namespace atto
