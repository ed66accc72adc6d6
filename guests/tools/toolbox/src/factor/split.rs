//! Prime factors: small ones by trial division, large ones by Pollard's rho in Brent's form.

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::modulus::{Large, Medium, Modulus, Small};
use crate::system;

/// Primes below this are tried one after the other.
const SMALL: usize = 5000;
/// How many steps of the rho are taken before a divisor is looked for.
const BATCH: u64 = 128;
/// A number below 2^64 that passes the test of Miller and Rabin for the first 12 primes is prime.
const SURE_BASES: usize = 12;
/// Larger numbers are tested with this many of the first primes, and with as many random numbers.
const BASES: usize = 24;

/// Finds prime factors.
pub(super) struct Factors {
    primes: Vec<u64>,
}

impl Factors {
    pub(super) fn new() -> Factors {
        let mut composite = vec![false; SMALL];
        let mut primes = Vec::new();
        for number in 2..SMALL {
            if composite[number] {
                continue;
            }
            primes.push(number as u64);
            composite[number..]
                .iter_mut()
                .step_by(number)
                .for_each(|is| *is = true);
        }
        Factors { primes }
    }

    /// The prime factors of a number in order; none for 0 and 1.
    pub(super) fn of(&self, mut number: BigUint) -> Vec<BigUint> {
        let mut factors = Vec::new();
        if number.is_zero() {
            return factors;
        }
        for &prime in &self.primes {
            if let Some(small) = number.to_u64() {
                self.small(small, &mut factors);
                factors.sort_unstable();
                return factors;
            }
            while (&number % prime).is_zero() {
                number /= prime;
                factors.push(prime.into());
            }
        }
        self.split(number, &mut factors);
        factors.sort_unstable();
        factors
    }

    /// The factors of a number below 2^64.
    fn small(&self, mut number: u64, factors: &mut Vec<BigUint>) {
        for &prime in &self.primes {
            if prime * prime > number {
                break;
            }
            while number.is_multiple_of(prime) {
                number /= prime;
                factors.push(prime.into());
            }
        }
        if number > 1 {
            self.split(number.into(), factors);
        }
    }

    /// The factors of a number that no small prime divides.
    fn split(&self, number: BigUint, factors: &mut Vec<BigUint>) {
        let mut left = vec![number];
        while let Some(number) = left.pop() {
            if number.is_one() {
                continue;
            }
            let divisor = match (number.to_u64(), number.to_u128()) {
                (Some(small), _) if small < (SMALL * SMALL) as u64 => None,
                (Some(small), _) => self.divisor(&number, &Small::new(small)),
                (_, Some(medium)) => self.divisor(&number, &Medium::new(medium)),
                _ => self.divisor(&number, &Large(number.clone())),
            };
            match divisor {
                Some(divisor) => {
                    left.push(&number / &divisor);
                    left.push(divisor);
                }
                None => factors.push(number),
            }
        }
    }

    /// A divisor of a number, which is also given as a modulus; none for a prime.
    fn divisor<M: Modulus>(&self, number: &BigUint, modulus: &M) -> Option<BigUint> {
        if self.is_prime(number, modulus) {
            return None;
        }
        // Some number is not split by one sequence, but another one will do.
        let mut constants = 1..;
        constants.find_map(|constant| rho(number, modulus, constant))
    }

    /// The test of Miller and Rabin.
    fn is_prime<M: Modulus>(&self, number: &BigUint, modulus: &M) -> bool {
        let less = number - 1u8;
        let twos = less.trailing_zeros().unwrap_or(0);
        let odd = &less >> twos;
        let passes = |base: u64| passes(modulus, base, &odd, twos);
        if number.to_u64().is_some() {
            return self.primes[..SURE_BASES].iter().all(|base| passes(*base));
        }
        // Numbers can be made up that pass for all small bases, but not for random ones.
        let random = (0..BASES).map(|_| u64::from(system::random()).max(2));
        let mut bases = self.primes[..BASES].iter().copied().chain(random);
        bases.all(passes)
    }
}

/// Whether a number may be prime as far as one base tells. The number is 1 more than `odd` times 2
/// to the `twos`.
fn passes<M: Modulus>(modulus: &M, base: u64, odd: &BigUint, twos: u64) -> bool {
    let one = modulus.residue(1);
    let is_minus_one = |value: &M::Residue| {
        let sum = modulus.add(value, &one);
        sum == modulus.residue(0)
    };
    let base = modulus.residue(base);
    let mut value = one.clone();
    for bit in (0..odd.bits()).rev() {
        value = modulus.multiply(&value, &value);
        if odd.bit(bit) {
            value = modulus.multiply(&value, &base);
        }
    }
    if value == one || is_minus_one(&value) {
        return true;
    }
    for _ in 1..twos {
        value = modulus.multiply(&value, &value);
        if is_minus_one(&value) {
            return true;
        }
    }
    false
}

/// Looks for a divisor with the sequence of `x * x + constant`. None if it finds only the number
/// itself.
fn rho<M: Modulus>(number: &BigUint, modulus: &M, constant: u64) -> Option<BigUint> {
    let constant = modulus.residue(constant);
    let next = |value: &M::Residue| modulus.add(&modulus.multiply(value, value), &constant);
    let mut ahead = modulus.residue(2);
    let mut length = 1;
    loop {
        let behind = ahead.clone();
        for _ in 0..length {
            ahead = next(&ahead);
        }
        let mut steps = 0;
        while steps < length {
            let start = ahead.clone();
            let mut product = modulus.residue(1);
            for _ in 0..BATCH.min(length - steps) {
                ahead = next(&ahead);
                product = modulus.multiply(&product, &modulus.distance(&behind, &ahead));
            }
            if !modulus.divisor(&product).is_one() {
                // Somewhere in this batch: it is gone through again, step by step.
                ahead = start;
                loop {
                    ahead = next(&ahead);
                    let divisor = modulus.divisor(&modulus.distance(&behind, &ahead));
                    if !divisor.is_one() {
                        return (divisor != *number).then_some(divisor);
                    }
                }
            }
            steps += BATCH;
        }
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: &str) -> String {
        let factors = Factors::new().of(number.parse().unwrap());
        let texts: Vec<String> = factors.iter().map(BigUint::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn numbers_of_all_sizes_are_split() {
        for (number, factors) in [
            ("0", ""),
            ("1", ""),
            ("25030009", "5003 5003"),
            ("18446744073709551557", "18446744073709551557"),
            ("18446744030759878681", "4294967291 4294967291"),
            ("1000000016000000063", "1000000007 1000000009"),
        ] {
            assert_eq!(shown(number), factors);
        }
        // Strong pseudoprimes for the first primes.
        assert_eq!(shown("3825123056546413051"), "149491 747451 34233211");
        assert_eq!(
            shown("318665857834031151167461"),
            "399165290221 798330580441"
        );
    }

    #[test]
    fn small_numbers_multiply_back() {
        let factors = Factors::new();
        for number in 1..20_000u64 {
            let product: BigUint = factors.of(number.into()).iter().product();
            assert_eq!(product, BigUint::from(number));
        }
    }
}
