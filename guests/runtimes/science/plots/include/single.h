/* What C++ programs want of threads, for one that has none: libc++ for WASI declares nothing of it. */
#pragma once
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#ifdef _LIBCPP_HAS_NO_THREADS
namespace std {
struct mutex {
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};
using recursive_mutex = mutex;
template <class M> struct unique_lock {
    explicit unique_lock(M &) {}
    template <class T> unique_lock(M &, T) {}
    void lock() {}
    void unlock() {}
};
struct condition_variable {
    template <class L, class... P> void wait(L &, P...) {}
    void notify_one() {}
    void notify_all() {}
};
/* Runs at once, to its end. */
struct thread {
    template <class F, class... A> explicit thread(F &&function, A &&...arguments) { std::invoke(std::forward<F>(function), std::forward<A>(arguments)...); }
    void join() {}
    static unsigned hardware_concurrency() { return 1; }
};
}
#endif
