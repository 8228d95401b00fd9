"""Check digits of numbers that people are known by."""

from __future__ import annotations

from collections.abc import Iterable

_MY_NUMBER = (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
_ROUTING = (3, 7, 1, 3, 7, 1, 3, 7, 1)
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
    "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def is_luhn(digits: str) -> bool:
    """Whether the last digit checks the others, as on a payment card."""
    doubled = (int(one) * 2 for one in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(one // 10 + one % 10 for one in doubled)) % 10 == 0


def is_my_number(digits: str) -> bool:
    """Whether twelve digits are an individual number of Japan."""
    rest = _weighed(digits[:11], _MY_NUMBER) % 11
    return len(digits) == 12 and int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def is_iban(value: str) -> bool:
    """Whether letters and digits are an IBAN: the length of its country, and 1 modulo 97."""
    if _IBAN_LENGTHS.get(value[:2]) != len(value):
        return False
    return int("".join(str(int(one, 36)) for one in value[4:] + value[:4])) % 97 == 1


def iban_length(country: str) -> int:
    """Give the length of a country's IBAN; 0 where there is none."""
    return _IBAN_LENGTHS.get(country, 0)


def is_routing(digits: str) -> bool:
    """Whether nine digits are a routing number of a bank of the United States."""
    return len(digits) == 9 and _weighed(digits, _ROUTING) % 10 == 0


def is_nhs(digits: str) -> bool:
    """Whether ten digits are a number of the National Health Service."""
    check = 11 - _weighed(digits[:9], range(10, 1, -1)) % 11
    return len(digits) == 10 and check != 10 and int(digits[9]) == check % 11


def _weighed(digits: str, weights: Iterable[int]) -> int:
    return sum(int(one) * weight for one, weight in zip(digits, weights, strict=True))
