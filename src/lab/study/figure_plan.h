// A figure as a study asks for it.
#pragma once

#include <memory>
#include <string>

#include "phenomena/claims/claim.h"

namespace atto {

class FigureKind;

// Of the page's width.
enum class FigureSize { full, half, third };
template <>
struct EnumWords<FigureSize> {
  static constexpr std::array words{"full", "half", "third"};
};

struct FigurePlan {
  std::string name;       // unique in the study, lower case with dashes: `atto figure STUDY/NAME`
  std::string kind_name;  // "curves"
  std::string title;
  std::string published;  // the published figure it is the counterpart of, or ""
  std::string note;       // a sentence of the author's for the caption, or ""
  FigureSize size = FigureSize::full;
  CellFilter where;  // cells it draws; all without it
  std::shared_ptr<const FigureKind> kind;
};

}  // namespace atto
