// The parts that the guides in docs/ build, one line each in the list of its kind. A build with
// -DATTO_PARTS=docs/examples takes them in; so does any other folder that has such a header.
#pragma once

#define ATTO_MORE_TASKS(ENTRY) ENTRY(seen)
