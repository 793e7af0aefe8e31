// atto: the program people run.
#include "app/program.h"

int main(int argc, char** argv) { return atto::run_program(argc, argv); }
