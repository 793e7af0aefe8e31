// The parts that the guides in docs/ build, one line for each kind. A build with -DATTO_PARTS=docs/examples takes them
// in; so does any other folder that has such a header next to its sources (docs/adding-parts.md).
#pragma once

#define ATTO_MORE_TASKS(ENTRY) ENTRY(seen)
#define ATTO_MORE_ATTENTION_FORMS(ENTRY) ENTRY(manhattan)
#define ATTO_MORE_MLPS(ENTRY) ENTRY(squared_relu)
#define ATTO_MORE_OPTIMIZERS(ENTRY) ENTRY(normalized)
#define ATTO_MORE_OBSERVABLES(ENTRY) ENTRY(embedding_norm)
#define ATTO_MORE_DETECTORS(ENTRY) ENTRY(overshoot)
#define ATTO_MORE_FIGURES(ENTRY) ENTRY(finals)
