// Time zones: which there are, and how far each is from UTC at a time. zones.txt has them
// (zones.py says how it looks); a zone's line is read when it is asked for first.
'use strict';

const lines = intl.read('intl/zones.txt').split('\n');
const found = new Map(); // name in lower case → [name, line]
for (const [at, line] of lines.entries()) {
  for (const name of line.slice(0, line.indexOf('|')).split(' ')) if (name !== '') found.set(name.toLowerCase(), [name, at]);
}
const read = new Map(); // line → zone

const SECONDS = /^([+-]?\d+)(?::(\d+))?(?::(\d+))?$/;
const seconds = (text, fallback) => {
  const match = SECONDS.exec(text ?? '');
  if (match === null) return fallback;
  const size = Math.abs(match[1]) * 3600 + (match[2] ?? 0) * 60 + Number(match[3] ?? 0);
  return text.startsWith('-') ? -size : size;
};

// POSIX's rule, as EST5EDT,M3.2.0,M11.1.0: { standard, daylight, from, to }, offsets in seconds.
function ruleOf(text) {
  const [names, from, to] = text.split(',');
  const [, , standard, daylight, its] = /^(<[^>]+>|[A-Za-z]+)([+-]?[\d:]+)(<[^>]+>|[A-Za-z]+)?([+-]?[\d:]+)?$/.exec(names) ?? [];
  if (standard === undefined) return { standard: 0 };
  const offset = -seconds(standard, 0);
  if (daylight === undefined || to === undefined) return { standard: offset };
  const date = (part) => {
    const [day, time] = part.split('/');
    return { day, time: seconds(time, 7200) };
  };
  return { standard: offset, daylight: its === undefined ? offset + 3600 : -seconds(its), from: date(from), to: date(to) };
}

// When a date of a rule is in a year, in seconds of local time.
function dateOf({ day, time }, year) {
  const of = (month, date) => {
    const whole = new Date(0);
    whole.setUTCFullYear(year, month, date);
    return whole;
  };
  const week = /^M(\d+)\.(\d)\.(\d)$/.exec(day);
  if (week !== null) {
    const [month, number, weekday] = week.slice(1).map(Number);
    const first = of(month - 1, 1);
    let date = 1 + (weekday - first.getUTCDay() + 7) % 7 + (number - 1) * 7;
    if (of(month - 1, date).getUTCMonth() !== month - 1) date -= 7;
    return of(month - 1, date).getTime() / 1000 + time;
  }
  const days = Number(day.replace('J', ''));
  const isLeap = of(1, 29).getUTCMonth() === 1;
  const skipped = day.startsWith('J') ? days - 1 + (isLeap && days > 59 ? 1 : 0) : days;
  return of(0, 1).getTime() / 1000 + skipped * 86400 + time;
}

function zoneOf(line) {
  const [, kinds, changes, rule] = line.split('|');
  const offsets = kinds.split(' ').map((kind) => [parseInt(kind, 10), kind.endsWith('*')]);
  let before = 0;
  const times = [], indices = [];
  for (const change of changes === '' ? [] : changes.split(' ')) {
    const [delta, index] = change.split(':');
    times.push(before += parseInt(delta, 36));
    indices.push(Number(index));
  }
  return { offsets, times, indices, rule: ruleOf(rule) };
}

// [seconds east of UTC, whether daylight saving is in force]
function byRule({ standard, daylight, from, to }, time) {
  if (daylight === undefined) return [standard, false];
  const year = new Date((time + standard) * 1000).getUTCFullYear();
  const begins = dateOf(from, year) - standard, ends = dateOf(to, year) - daylight;
  const isDaylight = begins < ends ? time >= begins && time < ends : time >= begins || time < ends;
  return isDaylight ? [daylight, true] : [standard, false];
}

const OFFSET = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/;

// The name as it is written, or undefined where there is no such zone.
intl.zoneName = (name) => {
  const offset = OFFSET.exec(name);
  if (offset !== null) return name === '-00:00' || name === '-00' ? '+00:00' : `${offset[1]}${offset[2]}:${offset[3] ?? '00'}`;
  const upper = name.toUpperCase();
  if (['UTC', 'GMT', 'ETC/UTC', 'ETC/GMT', 'ETC/UCT', 'ETC/ZULU', 'ZULU', 'UCT', 'ETC/UNIVERSAL', 'UNIVERSAL', 'GREENWICH', 'ETC/GREENWICH', 'GMT0', 'ETC/GMT0'].includes(upper)) return 'UTC';
  const its = found.get(name.toLowerCase())?.[0];
  return its === undefined ? undefined : intl.data.aliases[its] || its;
};

// [milliseconds east of UTC, whether daylight saving is in force] at a time of a zone that zoneName knows.
intl.offsetAt = (name, milliseconds) => {
  const offset = OFFSET.exec(name);
  if (offset !== null) return [(offset[1] === '-' ? -1 : 1) * (offset[2] * 60 + Number(offset[3] ?? 0)) * 60000, false];
  const at = found.get(name.toLowerCase())?.[1];
  if (name === 'UTC' || at === undefined) return [0, false];
  if (!read.has(at)) read.set(at, zoneOf(lines[at]));
  const { offsets, times, indices, rule } = read.get(at);
  const time = Math.floor(milliseconds / 1000);
  if (times.length === 0 || time >= times.at(-1)) {
    const [seconds, isDaylight] = byRule(rule, time);
    return [seconds * 1000, isDaylight];
  }
  let low = -1, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const [seconds, isDaylight] = offsets[low < 0 ? 0 : indices[low]];
  return [seconds * 1000, isDaylight];
};

// The zone that programs have: TZ, as far as it names one.
intl.ownZone = () => {
  const asked = (process.env.TZ ?? '').replace(/^:/, '');
  return asked === '' ? 'UTC' : intl.zoneName(asked) ?? 'UTC';
};
