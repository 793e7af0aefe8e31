// The settings of a type, described once: each has its FieldInfo and a way to read and write it in any object of the
// type.
//
//   const Schema<Circle>& circle_schema() {
//     static const Schema<Circle> schema = Schema<Circle>()
//         .real("circle.radius", &Circle::radius, 0, 10, "distance from the centre")
//         .choice("circle.colour", &Circle::colour, "what it is drawn in");
//     return schema;
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/field.h"
#include "base/words.h"

namespace atto {

template <class T>
struct SchemaField : FieldInfo {
  std::function<Value(const T&)> get;
  std::function<void(T&, const Value&)> assign;  // of a value that was checked

  void set(T& object, const Value& value) const { assign(object, checked(value)); }
  void set_text(T& object, std::string_view text) const { assign(object, parsed(text)); }
};

template <class T>
class Schema {
 public:
  Schema& integer(std::string key, int64_t T::*member, double low, double high, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::integer, low, high}, member);
  }
  Schema& real(std::string key, double T::*member, double low, double high, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::real, low, high}, member);
  }
  Schema& flag(std::string key, bool T::*member, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::flag}, member);
  }
  // Any text, or one of the names of an open set, such as the registered tasks.
  Schema& word(std::string key, std::string T::*member, std::vector<std::string> choices, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::word, {}, {}, std::move(choices)}, member);
  }
  // One kind of a closed set.
  template <Worded Enum>
  Schema& choice(std::string key, Enum T::*member, std::string help) {
    return add(
        {{std::move(key), std::move(help), FieldType::word, {}, {}, words_of<Enum>()},
         [member](const T& object) { return Value(std::string(to_word(object.*member))); },
         [member](T& object, const Value& value) { object.*member = from_word<Enum>(std::get<std::string>(value)); }});
  }
  // Texts, or names of an open set, in order.
  Schema& words(std::string key, std::vector<std::string> T::*member, std::vector<std::string> choices,
                std::string help) {
    return list({std::move(key), std::move(help), FieldType::list},
                {{}, {}, FieldType::word, {}, {}, std::move(choices)}, member);
  }
  Schema& numbers(std::string key, std::vector<double> T::*member, double low, double high, std::string help) {
    return list({std::move(key), std::move(help), FieldType::list}, {{}, {}, FieldType::real, low, high}, member);
  }
  // Pairs of numbers, [[0, 0.1], [100, 0.01]].
  Schema& points(std::string key, std::vector<std::pair<double, double>> T::*member, std::string help) {
    FieldInfo info{std::move(key), std::move(help), FieldType::list};
    FieldInfo pair{info.key, {}, FieldType::list};
    pair.item = std::make_shared<FieldInfo>(FieldInfo{info.key, {}, FieldType::real});
    pair.length = 2;
    info.item = std::make_shared<FieldInfo>(std::move(pair));
    return add({std::move(info),
                [member](const T& object) {
                  ValueList list;
                  for (const auto& [x, y] : object.*member) list.items.emplace_back(ValueList{{x, y}});
                  return Value(list);
                },
                [member](T& object, const Value& value) {
                  (object.*member).clear();
                  for (const Value& item : std::get<ValueList>(value).items) {
                    const auto& pair_of = std::get<ValueList>(item).items;
                    (object.*member).emplace_back(std::get<double>(pair_of[0]), std::get<double>(pair_of[1]));
                  }
                }});
  }
  // Numbers, or texts, by any names.
  Schema& number_table(std::string key, std::map<std::string, double> T::*member, double low, double high,
                       std::string help) {
    return table({std::move(key), std::move(help), FieldType::table}, {{}, {}, FieldType::real, low, high}, member);
  }
  Schema& word_table(std::string key, std::map<std::string, std::string> T::*member, std::string help) {
    return table({std::move(key), std::move(help), FieldType::table}, {{}, {}, FieldType::word}, member);
  }
  // Tables that have a schema of their own; what they leave out has the default of `Part`.
  template <class Part>
  Schema& list_of(std::string key, std::vector<Part> T::*member, const Schema<Part>& schema, std::string help) {
    FieldInfo info{std::move(key), std::move(help), FieldType::list};
    FieldInfo record{info.key, {}, FieldType::record};
    record.members.assign(schema.all().begin(), schema.all().end());
    info.item = std::make_shared<FieldInfo>(std::move(record));
    return add({std::move(info),
                [member, &schema](const T& object) {
                  ValueList list;
                  for (const Part& part : object.*member) {
                    ValueTable entries;
                    for (const SchemaField<Part>& field : schema.all())
                      if (Value value = field.get(part); value != field.initial) entries.entries[field.key] = value;
                    list.items.push_back(entries);
                  }
                  return Value(list);
                },
                [member, &schema](T& object, const Value& value) {
                  (object.*member).clear();
                  for (const Value& item : std::get<ValueList>(value).items) {
                    Part part;
                    for (const auto& [name, entry] : std::get<ValueTable>(item).entries)
                      schema.at(name).assign(part, entry);
                    (object.*member).push_back(std::move(part));
                  }
                }});
  }

  // All settings of a part.
  template <class Part>
  Schema& part(Part T::*member, const Schema<Part>& schema) {
    for (const SchemaField<Part>& field : schema.all())
      add({field, [member, get = field.get](const T& object) { return get(object.*member); },
           [member, assign = field.assign](T& object, const Value& value) { assign(object.*member, value); }});
    return *this;
  }

  // Keys described from here on came later: they are part of a run's identity only where they are set, so that runs
  // that do not know them keep their ids.
  Schema& later() {
    later_ = true;
    return *this;
  }
  // The key described last is no part of a run's identity.
  Schema& unhashed() {
    fields_.back().identity = FieldInfo::Identity::never;
    return *this;
  }

  // In the order of their description.
  const std::vector<SchemaField<T>>& all() const { return fields_; }
  const SchemaField<T>* find(std::string_view key) const {
    for (const SchemaField<T>& field : fields_)
      if (field.key == key) return &field;
    return nullptr;
  }
  // find(), or Error(config) with the nearest known key.
  const SchemaField<T>& at(std::string_view key) const {
    if (const SchemaField<T>* field = find(key)) return *field;
    refuse_key(key, keys());
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const SchemaField<T>& field : fields_) keys.push_back(field.key);
    return keys;
  }

 private:
  template <class Plain>
  Schema& plain(FieldInfo info, Plain T::*member) {
    return add({std::move(info), [member](const T& object) { return Value(object.*member); },
                [member](T& object, const Value& value) { object.*member = std::get<Plain>(value); }});
  }
  template <class Plain>
  Schema& list(FieldInfo info, FieldInfo item, std::vector<Plain> T::*member) {
    item.key = info.key;
    info.item = std::make_shared<FieldInfo>(std::move(item));
    return add({std::move(info),
                [member](const T& object) {
                  return Value(ValueList{{(object.*member).begin(), (object.*member).end()}});
                },
                [member](T& object, const Value& value) {
                  (object.*member).clear();
                  for (const Value& one : std::get<ValueList>(value).items)
                    (object.*member).push_back(std::get<Plain>(one));
                }});
  }
  template <class Plain>
  Schema& table(FieldInfo info, FieldInfo item, std::map<std::string, Plain> T::*member) {
    item.key = info.key;
    info.item = std::make_shared<FieldInfo>(std::move(item));
    return add({std::move(info),
                [member](const T& object) {
                  return Value(ValueTable{{(object.*member).begin(), (object.*member).end()}});
                },
                [member](T& object, const Value& value) {
                  (object.*member).clear();
                  for (const auto& [name, one] : std::get<ValueTable>(value).entries)
                    (object.*member)[name] = std::get<Plain>(one);
                }});
  }
  Schema& add(SchemaField<T> field) {
    field.initial = field.get(T{});
    if (later_) field.identity = FieldInfo::Identity::if_set;
    fields_.push_back(std::move(field));
    return *this;
  }

  std::vector<SchemaField<T>> fields_;
  bool later_ = false;
};

}  // namespace atto
