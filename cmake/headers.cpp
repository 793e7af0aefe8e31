// Nothing: it owns precompiled headers (precompile.cmake).
