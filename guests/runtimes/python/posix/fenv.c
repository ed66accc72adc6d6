/* The flags of fenv.h. All that musl has in one object is here, so that none of it is linked. */
#include <fenv.h>

static unsigned long flags;

int feclearexcept(int mask)
{
    flags &= ~(unsigned long)mask;
    return 0;
}

int feraiseexcept(int mask)
{
    flags |= mask & FE_ALL_EXCEPT;
    return 0;
}

int fetestexcept(int mask)
{
    return flags & mask;
}

int fegetenv(fenv_t *environment)
{
    environment->__flags = flags;
    return 0;
}

int fesetenv(const fenv_t *environment)
{
    flags = environment == FE_DFL_ENV ? 0 : environment->__flags;
    return 0;
}

int fegetround(void)
{
    return FE_TONEAREST;
}

int __fesetround(int mode)
{
    return mode != FE_TONEAREST;
}
