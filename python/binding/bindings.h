// What the module `attoscope._core` is made of: a thin layer that hands out values, JSON texts and arrays. Everything
// with a shape that people see is in python/attoscope.
#pragma once

#include <nanobind/nanobind.h>

namespace atto::python {

namespace nb = nanobind;

void bind_end(nb::module_& module);       // what trains stops before the interpreter ends
void bind_errors(nb::module_& module);    // atto::Error as the exceptions of attoscope.errors
void bind_help(nb::module_& module);      // keys, detectors, figure kinds, observables, and the program itself
void bind_parts(nb::module_& module);     // what studies have of functions and arrays in Python
void bind_study(nb::module_& module);     // studies as texts, checked and expanded
void bind_store(nb::module_& module);     // stores
void bind_job(nb::module_& module);       // sweeps that train on threads of their own
void bind_result(nb::module_& module);    // what runs came to: verdicts, series, figures
void bind_ensemble(nb::module_& module);  // runs in the hand
void bind_analysis(nb::module_& module);  // theory, and detectors for curves from anywhere
void bind_judge(nb::module_& module);     // verdicts on numbers from anywhere
void bind_serve(nb::module_& module);     // the server, and studies that are watched while they train

}  // namespace atto::python
