#include <nanobind/stl/string.h>

#include <string>

#include "base/host_calls.h"
#include "base/unknown_key.h"
#include "bindings.h"

namespace atto::python {
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::config:
      return "StudyError";
    case ErrorKind::missing:
      return "MissingError";
    case ErrorKind::store:
      return "StoreError";
    case ErrorKind::resources:
      return "ResourceError";
    case ErrorKind::internal:
      return "InternalError";
  }
  return "InternalError";
}

// The classes are Python's (attoscope/errors.py), so that they can be read and documented there. So are the words for
// what the command line calls an option.
void raise(const Error& error, const char* name) {
  const nb::module_ errors = nb::module_::import_("attoscope.errors");
  const nb::object type = errors.attr(name);
  const nb::object in_python = errors.attr("in_python");
  const nb::object instance = type(in_python(error.what()), in_python(error.remedy()));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const UnknownKey& error) {
      raise(error, "UnknownKeyError");
    } catch (const PartFailure& failure) {
      const nb::object type = nb::module_::import_("attoscope.errors").attr("PartError");
      PyErr_SetObject(type.ptr(), type(failure.what(), "", failure.details()).ptr());
    } catch (const Error& error) {
      raise(error, class_of(error.kind()));
    }
  });
}

}  // namespace atto::python
