// A step allocates nothing. The test program's own operator new counts, so this file holds its replacements.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "network_run.h"
#include "transformer_runs.h"

namespace {

thread_local bool counting = false;
thread_local int allocations = 0;

void* allocate(size_t size, size_t alignment) {
  if (counting) ++allocations;
  return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}
void* allocate_or_throw(size_t size, size_t alignment = alignof(std::max_align_t)) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

// Kept apart, or the compiler sees memory of `new` handed to free() and warns.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

// All forms, so that whatever one of them allocates the matching other frees.
void* operator new(size_t size) { return allocate_or_throw(size); }
void* operator new[](size_t size) { return allocate_or_throw(size); }
void* operator new(size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new[](size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, alignof(std::max_align_t)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

namespace atto {
namespace {

template <class Action>
int allocations_during(const Action& action) {
  allocations = 0;
  counting = true;
  action();
  counting = false;
  return allocations;
}

TEST(Allocations, AreCounted) {
  std::vector<float> some;
  EXPECT_EQ(allocations_during([&] { some.resize(100); }), 1);
  EXPECT_GT(allocations_during([] { NetworkRun trainer{RunConfig()}; }), 5);
}

TEST(Allocations, NoneInsideAStep) {
  for (const std::string optimizer : {"adam", "sgd"}) {
    for (const std::string targets : {"last", "every", "every, expected"}) {
      RunConfig config;
      config.data.targets = from_word<Targets>(targets.substr(0, targets.find(',')));
      if (targets.ends_with("expected")) config.training.gradient = GradientKind::expected;
      config.network.positions = PositionKind::learned;
      config.network.unembedding = Tying::free;
      config.training.optimizer = optimizer;
      config.training.schedule = RateSchedule::cosine;
      config.training.batch = 200;
      NetworkRun trainer(config);
      for (int step = 0; step < 3; ++step)  // the first step too
        EXPECT_EQ(allocations_during([&] {
                    trainer.evaluate();
                    trainer.update();
                  }),
                  0)
            << optimizer << ", " << targets << ", step " << step;
    }
  }
}

TEST(Allocations, NoneInsideAStepOfATransformer) {
  for (const RunConfig& config : {small_regression(), small_recall()}) {
    NetworkRun trainer(config);
    for (int step = 0; step < 3; ++step)
      EXPECT_EQ(allocations_during([&] {
                  trainer.evaluate();
                  trainer.test();
                  trainer.update();
                }),
                0)
          << config.data.task << ", step " << step;
  }
}

}  // namespace
}  // namespace atto
