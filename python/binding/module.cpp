#include "bindings.h"

NB_MODULE(_core, module) {
  using namespace atto::python;
  bind_end(module);
  bind_errors(module);
  bind_help(module);
  bind_parts(module);
  bind_study(module);
  bind_store(module);
  bind_job(module);
  bind_result(module);
  bind_ensemble(module);
  bind_analysis(module);
  bind_judge(module);
  bind_serve(module);
}
