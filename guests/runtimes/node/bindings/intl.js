// Intl for en-US: read and made when a program uses it first (../intl). Node's library takes no
// part in it; for that this is a build without ICU.
'use strict';

const { library } = host;
const FILES = ['options', 'decimal', 'number', 'zones', 'dates', 'words', 'text'];
let made;

function load() {
  if (made !== undefined) return made;
  const constructors = {};
  const intl = { constructors, read: library.read, process: host.process };
  intl.data = JSON.parse(library.read('intl/data.json'));
  intl.nameCallable = (name) => {
    Object.defineProperty(constructors[name], 'name', { __proto__: null, value: name, configurable: true });
    Object.defineProperty(constructors[name], 'length', { __proto__: null, value: 0, configurable: true });
    constructors[name].supportedLocalesOf = undefined;
    Object.defineProperty(constructors[name], 'supportedLocalesOf', {
      __proto__: null,
      value: { supportedLocalesOf(locales, options) { return intl.supportedLocalesOf(locales, options); } }.supportedLocalesOf, enumerable: false });
  };
  for (const name of FILES) library.compile(`intl/${name}.js`, ['intl', 'process'], `node:internal/intl/${name}`)(intl, host.process);
  const object = {};
  const hide = (key, value) => Object.defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  for (const [name, Class] of Object.entries(constructors)) hide(name, Class);
  hide('getCanonicalLocales', { getCanonicalLocales(locales) { return intl.canonicalList(locales); } }.getCanonicalLocales);
  hide('supportedValuesOf', { supportedValuesOf(key) { return supportedValues(intl, String(key)); } }.supportedValuesOf);
  Object.defineProperty(object, Symbol.toStringTag, { __proto__: null, value: 'Intl', configurable: true });
  made = { object, intl };
  return made;
}

function supportedValues({ data }, key) {
  switch (key) {
    case 'calendar': return ['gregory'];
    case 'collation': return ['default'];
    case 'currency': return Object.keys(data.currencies);
    case 'numberingSystem': return ['latn'];
    case 'timeZone': return [...data.timeZones];
    case 'unit': return Object.keys(data.units);
    default: throw new RangeError(`Invalid key : ${key}`);
  }
}

// A function of a prototype as the engine's own look: no constructor, not enumerable.
function replace(prototype, methods) {
  for (const [name, method] of Object.entries(methods)) {
    Object.defineProperty(prototype, name, { __proto__: null, value: method, writable: true, configurable: true, enumerable: false });
  }
}

// The name of a date's zone, which the engine does not say. UTC needs no tables.
const UTC = 'Coordinated Universal Time';
function zoneName(date) {
  const zone = host.process.env.TZ;
  const east = -date.getTimezoneOffset() * 60000;
  if (east === 0 && (zone === undefined || zone === '' || zone === 'UTC')) return UTC;
  const { intl } = load(), own = intl.ownZone();
  const [offset, isDaylight] = intl.offsetAt(own, date.getTime());
  // Where the C library does not know the zone, dates are UTC's.
  if (Math.abs(offset - east) >= 60000) return east === 0 ? UTC : intl.zoneText('', 'long', { offset: east, isDaylight: false });
  return intl.zoneText(own, 'long', { offset, isDaylight });
}

// `TZ` of a process: hours of dates are the zone's.
host.timeZoneChanged = (name) => {
  const isOther = name !== undefined && !['', 'UTC', ':UTC'].includes(name);
  native.setZone(isOther ? (time) => load().intl.offsetAt(load().intl.ownZone(), time)[0] : undefined);
};

const engineDate = { toString: Date.prototype.toString, toTimeString: Date.prototype.toTimeString };
const withZone = (date, text) => (text === 'Invalid Date' ? text : `${text} (${zoneName(date)})`);

const numberText = (value, locales, options) => load().intl.constructors.NumberFormat(locales, options).format(value);
const asNumber = Number.prototype.valueOf, asBigInt = BigInt.prototype.valueOf;

replace(Number.prototype, { toLocaleString(locales, options) { return numberText(asNumber.call(this), locales, options); } });
replace(BigInt.prototype, { toLocaleString(locales, options) { return numberText(asBigInt.call(this), locales, options); } });
replace(Date.prototype, {
  toString() { return withZone(this, engineDate.toString.call(this)); },
  toTimeString() { return withZone(this, engineDate.toTimeString.call(this)); },
  toLocaleString(locales, options) { return load().intl.dateText(this, locales, options, 'any', 'all'); },
  toLocaleDateString(locales, options) { return load().intl.dateText(this, locales, options, 'date', 'date'); },
  toLocaleTimeString(locales, options) { return load().intl.dateText(this, locales, options, 'time', 'time'); },
});
replace(String.prototype, {
  localeCompare(that, locales, options) {
    if (this === undefined || this === null) throw new TypeError('String.prototype.localeCompare called on null or undefined');
    return load().intl.compareTexts(String(this), String(that), locales, options);
  },
});
for (const [prototype, name, length] of [[Number.prototype, 'toLocaleString', 0], [BigInt.prototype, 'toLocaleString', 0],
  [Date.prototype, 'toLocaleString', 0], [Date.prototype, 'toLocaleDateString', 0], [Date.prototype, 'toLocaleTimeString', 0], [String.prototype, 'localeCompare', 1]]) {
  Object.defineProperty(prototype[name], 'length', { __proto__: null, value: length, configurable: true });
}

Object.defineProperty(globalThis, 'Intl', {
  __proto__: null,
  get() {
    const { object } = load();
    Object.defineProperty(globalThis, 'Intl', { __proto__: null, value: object, writable: true, configurable: true, enumerable: false });
    return object;
  },
  set(value) { Object.defineProperty(globalThis, 'Intl', { __proto__: null, value, writable: true, configurable: true, enumerable: false }); },
  configurable: true,
  enumerable: false,
});
