// SQLite's way to the disk with fewer calls: writes that continue each other are gathered and written as one.
#pragma once

namespace atto {

// The name of the VFS (SQLite's word for it) to open a store with that is written to; it stands on the default one.
//
// SQLite writes a page at a time, to its log even in two pieces of which none is aligned, and a call costs more than
// the copy that it makes: a fifth of what saving small runs takes. What is gathered goes to the file before anything
// else is asked of it, so before each sync, and that is all SQLite relies on: a transaction is over, and seen by
// others, when its sync is.
const char* gathering_vfs();

}  // namespace atto
