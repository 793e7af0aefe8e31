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
    return plain({std::move(key), std::move(help), FieldType::integer, low, high, {}}, member);
  }
  Schema& real(std::string key, double T::*member, double low, double high, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::real, low, high, {}}, member);
  }
  Schema& flag(std::string key, bool T::*member, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::flag, {}, {}, {}}, member);
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
  // All settings of a part.
  template <class Part>
  Schema& part(Part T::*member, const Schema<Part>& schema) {
    for (const SchemaField<Part>& field : schema.all())
      add({field, [member, get = field.get](const T& object) { return get(object.*member); },
           [member, assign = field.assign](T& object, const Value& value) { assign(object.*member, value); }});
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
  Schema& add(SchemaField<T> field) {
    fields_.push_back(std::move(field));
    return *this;
  }

  std::vector<SchemaField<T>> fields_;
};

}  // namespace atto
