// Nothing: it owns the precompiled headers that all tests share, so that one layer's tests can be built without
// another's.
