"""Exact numbers: fractions, and where a logarithm comes in, sixty digits."""

import struct
from fractions import Fraction
from functools import cache

from mpmath import mp

mp.dps = 60
DIGITS = 20  # that are written
SAME = mp.mpf(10) ** -40  # two numbers of sixty digits that are as near as this are equal
LARGEST_DENOMINATOR = 10**9


def exact(number):
    "A number as it is written: 0.8 is 4/5, and not the 64-bit float beside it."
    return Fraction(str(number))


def exact_parameter(value):
    "A parameter for an exact definition: 0.8 is 4/5; whole numbers, words and all else stay as they are."
    return exact(value) if isinstance(value, float) else value


@cache
def logarithm(x, base):
    "log_base(x): a whole number where x is a power of the base, else sixty digits."
    for power in range(64):
        if base**power == x:
            return Fraction(power)
    return mp.log(x) / mp.log(base)


def natural_logarithm(x):
    return mp.log(x)


def power_of_two(x):
    "2^x: a fraction where x is a whole number, else sixty digits."
    return Fraction(2) ** int(x) if x == int(x) else mp.power(2, mp.mpf(x.numerator) / x.denominator)


def geometric_mean(numbers):
    "The n-th root of the product of n numbers above 0."
    logarithms = [mp.log(x) for x in numbers]
    return mp.exp(sum(logarithms) / len(logarithms))


def over(part, whole):
    "part / whole, and 0 where the whole is 0."
    return part / whole if whole != 0 else Fraction(0)


def simplest(number):
    "A fraction, if the number is one: of sixty digits, the first forty must agree with it."
    if isinstance(number, (int, Fraction)):
        return Fraction(number)
    near = Fraction(int(mp.nint(number * mp.mpf(10) ** 50)), 10**50).limit_denominator(LARGEST_DENOMINATOR)
    return near if abs(number - mp.mpf(near.numerator) / near.denominator) < SAME else number


def written(number):
    "A number as text: a fraction such as 7/12, or twenty digits; a text (NaN, error) stays as it is."
    if isinstance(number, str):
        return number
    number = simplest(number)
    return str(number) if isinstance(number, Fraction) else mp.nstr(number, DIGITS, strip_zeros=False)


def as_32_bit_float(score):
    "The nearest 32-bit float."
    return struct.unpack("f", struct.pack("f", score))[0]
