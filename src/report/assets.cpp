#include "report/assets.h"

// Where the assembler put each file (cmake/assets.cmake).
extern "C" {
extern const char kAttoPage[], kAttoPageEnd[];
extern const char kAttoStyle[], kAttoStyleEnd[];
extern const char kAttoScript[], kAttoScriptEnd[];
extern const char kAttoLicences[], kAttoLicencesEnd[];
extern const char kAttoLook[], kAttoLookEnd[];
extern const char kAttoPlayground[], kAttoPlaygroundEnd[];
}

namespace atto::assets {

std::string_view page() { return {kAttoPage, kAttoPageEnd}; }
std::string_view style() { return {kAttoStyle, kAttoStyleEnd}; }
std::string_view script() { return {kAttoScript, kAttoScriptEnd}; }
std::string_view licences() { return {kAttoLicences, kAttoLicencesEnd}; }
std::string_view playground() { return {kAttoPlayground, kAttoPlaygroundEnd}; }
std::string_view look() { return {kAttoLook, kAttoLookEnd}; }

}  // namespace atto::assets
