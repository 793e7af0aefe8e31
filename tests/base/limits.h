// The limits of a schema's numbers, for tests that hold them to what they should be.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "base/schema.h"

namespace atto {

using Limits = std::map<std::string, std::pair<double, double>>;

// Those of a setting, of the items of a list or a table, and of the members of a record.
inline void add_limits(const FieldInfo& field, const std::string& key, Limits& limits) {
  if (field.is_number()) limits[key] = {field.low, field.high};
  if (field.item) add_limits(*field.item, key, limits);
  for (const FieldInfo& member : field.members) add_limits(member, key + "." + member.key, limits);
}

// Every number of the schema has these limits and no others; what is set where nobody says anything is allowed.
template <class T>
void expect_limits(const Schema<T>& schema, const Limits& expected) {
  Limits found;
  for (const SchemaField<T>& field : schema.all()) {
    add_limits(field, field.key, found);
    EXPECT_NO_THROW(field.checked(field.initial)) << field.key;
  }
  for (const auto& [key, limits] : found) {
    const auto at = expected.find(key);
    if (at == expected.end()) {
      ADD_FAILURE() << key << " is not in the list: from " << limits.first << " to " << limits.second;
      continue;
    }
    EXPECT_EQ(limits.first, at->second.first) << key;
    EXPECT_EQ(limits.second, at->second.second) << key;
  }
  for (const auto& [key, limits] : expected) EXPECT_TRUE(found.contains(key)) << key;
}

}  // namespace atto
