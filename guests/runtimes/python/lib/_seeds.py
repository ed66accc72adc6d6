"""Random numbers of sessions. A session goes on in another process, and so do its forks and its saved states: each call begins with a new seed, so
that none repeats another's numbers. A seed that the program has chosen stays chosen."""
import functools
import random

# Modules whose own generator this session watches, and those whose seed the program has chosen.
watched = []
chosen = set()


def watch(module, restore):
    """Notes from now on whether the program chooses the seed of a module's generator, or the state of it with the function named `restore`."""
    seed, put_back = module.seed, getattr(module, restore)

    @functools.wraps(seed)
    def noted_seed(*args, **names):
        seed(*args, **names)
        # Without a value the seed is the system's again.
        value = (*args, *(names[name] for name in ("a", "seed") if name in names), None)[0]
        (chosen.discard if value is None else chosen.add)(module)

    @functools.wraps(put_back)
    def noted_state(*args, **names):
        put_back(*args, **names)
        chosen.add(module)

    module.seed = noted_seed
    setattr(module, restore, noted_state)
    watched.append(module)


def begin_session():
    watch(random, "setstate")


def renew_numpy(numpy):
    numpy.random.seed()
    if watched:
        watch(numpy.random, "set_state")


def go_on():
    for module in watched:
        if module not in chosen:
            module.seed()
