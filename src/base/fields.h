// Settings bound to the variables that hold them, for parts of which a study makes one object each: detectors, figures.
// A type that is copied, compared or written as text has a Schema instead (base/schema.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/field.h"
#include "base/schema.h"
#include "base/words.h"

namespace atto {

struct Field : FieldInfo {
  std::function<Value()> get;
  std::function<void(const Value&)> assign;  // of a value that was checked

  void set(const Value& value) const { assign(checked(value)); }
  void set_text(std::string_view text) const { assign(parsed(text)); }
};

// In the order of their description.
class Fields {
 public:
  Fields& integer(std::string key, int64_t& target, double low, double high, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::integer, low, high}, target);
  }
  Fields& real(std::string key, double& target, double low, double high, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::real, low, high}, target);
  }
  // Any text: an address, a name.
  Fields& text(std::string key, std::string& target, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::word}, target);
  }
  Fields& flag(std::string key, bool& target, std::string help) {
    return plain({std::move(key), std::move(help), FieldType::flag}, target);
  }
  // One kind of a closed set.
  template <Worded Enum>
  Fields& choice(std::string key, Enum& target, std::string help) {
    return add({{std::move(key), std::move(help), FieldType::word, {}, {}, words_of<Enum>()},
                [&target] { return Value(std::string(to_word(target))); },
                [&target](const Value& value) { target = from_word<Enum>(std::get<std::string>(value)); }});
  }
  // All settings of an object whose type has a schema.
  template <class T>
  Fields& all_of(T& object, const Schema<T>& schema) {
    for (const SchemaField<T>& field : schema.all())
      add({field, [&object, get = field.get] { return get(object); },
           [&object, assign = field.assign](const Value& value) { assign(object, value); }});
    return *this;
  }

  const std::vector<Field>& all() const { return fields_; }
  const Field* find(std::string_view key) const {
    for (const Field& field : fields_)
      if (field.key == key) return &field;
    return nullptr;
  }
  // find(), or Error(config) with the nearest known key.
  const Field& at(std::string_view key) const {
    if (const Field* field = find(key)) return *field;
    std::vector<std::string> known;
    for (const Field& field : fields_) known.push_back(field.key);
    refuse_key(key, known);
  }

 private:
  template <class Plain>
  Fields& plain(FieldInfo info, Plain& target) {
    return add({std::move(info), [&target] { return Value(target); },
                [&target](const Value& value) { target = std::get<Plain>(value); }});
  }
  Fields& add(Field field) {
    fields_.push_back(std::move(field));
    return *this;
  }

  std::vector<Field> fields_;
};

}  // namespace atto
