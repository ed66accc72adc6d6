// Makes data.json, what Intl knows of en-US, with native node of the same version (its data is
// CLDR's). usage: node data.mjs ZONES > data.json, where ZONES is the file that zones.py writes
import fs from 'node:fs';

const all = (key) => Intl.supportedValuesOf(key);
const parts = (options, value) => new Intl.NumberFormat('en-US', options).formatToParts(value);
const text = (options, value) => new Intl.NumberFormat('en-US', options).format(value);

// [digits, symbol, narrow symbol, name of one, name of others], shortened where parts are alike.
const currencies = {};
for (const currency of all('currency')) {
  const symbol = (currencyDisplay, value = 1, digits = {}) =>
    parts({ style: 'currency', currency, currencyDisplay, ...digits }, value).find((part) => part.type === 'currency').value;
  const digits = new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
  const short = symbol('symbol'), narrow = symbol('narrowSymbol');
  currencies[currency] = [digits, short === currency ? 0 : short, narrow === short ? 0 : narrow, symbol('name', 1, { maximumFractionDigits: 0 }), symbol('name', 2)];
}

// What is before and behind a number: [one, others] by display.
const units = {};
for (const unit of all('unit')) {
  units[unit] = ['short', 'narrow', 'long'].map((unitDisplay) => [1, 2].map((value) =>
    text({ style: 'unit', unit, unitDisplay }, value).replace(String(value), '{0}')));
}
const per = {};
for (const unit of all('unit')) {
  per[unit] = ['short', 'narrow', 'long'].map((unitDisplay) => {
    try {
      const whole = text({ style: 'unit', unit: `kilobit-per-${unit}`, unitDisplay }, 2);
      const first = text({ style: 'unit', unit: 'kilobit', unitDisplay }, 2);
      return whole.startsWith(first) ? whole.slice(first.length) : undefined;
    } catch { return undefined; }
  });
}
const special = {};
for (const one of all('unit')) {
  for (const other of all('unit')) {
    const unit = `${one}-per-${other}`;
    const forms = ['short', 'narrow', 'long'].map((unitDisplay, at) => [1, 2].map((value) => {
      const whole = text({ style: 'unit', unit, unitDisplay }, value).replace(String(value), '{0}');
      const usual = units[one][at][value - 1] + per[other][at];
      return whole === usual ? 0 : whole;
    }));
    if (forms.flat().some((form) => form !== 0)) special[unit] = forms;
  }
}

// Names of time zones: [standard, daylight, either] long and short, as an index of what is alike.
const zoneNames = [], zones = {};
const nameOf = (timeZone, timeZoneName, date) =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName }).formatToParts(date).find((part) => part.type === 'timeZoneName').value;
const minutes = (timeZone, date) => {
  const [, sign, hours, rest] = /GMT(?:([+-])(\d+):(\d+))?/.exec(nameOf(timeZone, 'longOffset', date));
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (hours * 60 + +rest);
};
const dates = [new Date(Date.UTC(2026, 0, 15)), new Date(Date.UTC(2026, 6, 15))];
for (const zone of ['UTC', ...all('timeZone')]) {
  const [first, second] = [...dates].sort((a, b) => minutes(zone, a) - minutes(zone, b));
  const names = ['long', 'short'].flatMap((style) => [nameOf(zone, style, first), nameOf(zone, style, second), nameOf(zone, `${style}Generic`, first)]);
  // Names that only say the offset are made of it.
  const kept = names.map((name) => (/^GMT/.test(name) && zone !== 'Europe/London' ? 0 : name));
  if (kept[0] === kept[1]) kept[1] = 0;
  if (kept[3] === kept[4]) kept[4] = 0;
  if (kept.every((name) => name === 0)) continue;
  const key = JSON.stringify(kept);
  let at = zoneNames.findIndex((it) => JSON.stringify(it) === key);
  if (at < 0) at = zoneNames.push(kept) - 1;
  zones[zone] = at;
}
// Other names of zones.
const aliases = {};
const known = new Set(all('timeZone'));
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n')) {
  for (const name of line.split('|')[0].split(' ')) {
    if (name === '' || known.has(name)) continue;
    try { aliases[name] = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone; } catch { aliases[name] = 0; }
    if (aliases[name] === name) delete aliases[name];
  }
}

// Characters in the order of their primary weights; those of one string have the same.
const characters = [];
for (let code = 0x20; code < 0x250; code++) if (!(code >= 0x7f && code < 0xa0)) characters.push(String.fromCodePoint(code));
for (let code = 0x2010; code < 0x2060; code++) characters.push(String.fromCodePoint(code));
characters.push('€', '™', '−', '≤', '≥', '≠', '→', '←', '•');
const base = new Intl.Collator('en-US', { sensitivity: 'base' });
const single = characters.filter((it) => it.normalize('NFD').length === 1 && base.compare(it, '') !== 0 && base.compare(it, ' ') >= 0);
single.sort((a, b) => base.compare(a, b) || (a < b ? -1 : 1));
const order = [];
for (const it of single) {
  if (order.length > 0 && base.compare(order.at(-1)[0], it) === 0) order[order.length - 1] += it;
  else order.push(it);
}
const ignored = characters.filter((it) => base.compare(it, '') === 0).join('');

const names = (type, codes) => {
  const display = new Intl.DisplayNames('en-US', { type, fallback: 'none' });
  return Object.fromEntries(codes.map((code) => [code, display.of(code)]).filter(([, name]) => name !== undefined));
};
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const pairs = letters.flatMap((a) => letters.map((b) => a + b));
const regions = names('region', [...pairs.map((pair) => pair.toUpperCase()), '001', '150', '419']);
const languages = names('language', [...pairs, 'yue', 'fil', 'haw', 'en-US', 'en-GB', 'en-AU', 'en-CA', 'es-419', 'es-ES', 'es-MX', 'fr-CA', 'fr-CH', 'pt-BR', 'pt-PT', 'zh-Hans', 'zh-Hant', 'de-AT', 'de-CH']);
const scripts = names('script', ['Latn', 'Cyrl', 'Arab', 'Hans', 'Hant', 'Grek', 'Hebr', 'Deva', 'Jpan', 'Kore', 'Thai']);

process.stdout.write(`{\n${Object.entries({ currencies, units, per, special, zoneNames, zones, aliases, order, ignored, regions, languages, scripts,
  timeZones: all('timeZone') }).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',\n')}\n}\n`);
