// Intl.DateTimeFormat for en-US: patterns of CLDR's skeletons, by the fields that are asked for.
'use strict';

const { choice, joined } = intl;
const TYPE = 'DateTimeFormat';
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
// CLDR has a narrow space between the time and AM or PM, which V8 makes a plain one in the text of
// one time; thin spaces are around the sign of a range.
const NARROW = '\u202f', THIN = '\u2009';
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
const TEXTS = ['narrow', 'short', 'long'], NUMBERS = ['2-digit', 'numeric'];
const FIELDS = {
  weekday: TEXTS, era: TEXTS, year: NUMBERS, month: [...NUMBERS, ...TEXTS], day: NUMBERS, dayPeriod: TEXTS, hour: NUMBERS, minute: NUMBERS,
  second: NUMBERS, fractionalSecondDigits: undefined, timeZoneName: ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'],
};
const STYLES = ['full', 'long', 'medium', 'short'];
const DATE_STYLES = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const CLOCK = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
const TIME_STYLES = {
  full: { ...CLOCK, timeZoneName: 'long' }, long: { ...CLOCK, timeZoneName: 'short' }, medium: CLOCK, short: { hour: 'numeric', minute: '2-digit' },
};
const invalidZone = (zone) => new RangeError(`Invalid time zone specified: ${zone}`);

const two = (number) => String(number).padStart(2, '0');
const text = (names, index, style) => (style === 'long' ? names[index] : names[index].slice(0, style === 'short' ? 3 : 1));

// The fields of a time in a zone.
function fieldsOf(milliseconds, zone) {
  const [offset, isDaylight] = intl.offsetAt(zone, milliseconds);
  const local = new Date(milliseconds + offset);
  return {
    year: local.getUTCFullYear(), month: local.getUTCMonth(), day: local.getUTCDate(), weekday: local.getUTCDay(), hour: local.getUTCHours(),
    minute: local.getUTCMinutes(), second: local.getUTCSeconds(), millisecond: local.getUTCMilliseconds(), offset, isDaylight,
  };
}

// GMT+5:30, or GMT+05:30 where it is long.
function offsetText(offset, isLong) {
  const size = Math.abs(offset), hours = Math.floor(size / 3600000), minutes = Math.floor(size / 60000) % 60, seconds = Math.floor(size / 1000) % 60;
  const sign = offset < 0 ? '-' : '+';
  if (offset === 0) return 'GMT';
  const tail = seconds === 0 ? '' : `:${two(seconds)}`;
  if (isLong) return `GMT${sign}${two(hours)}:${two(minutes)}${tail}`;
  return `GMT${sign}${hours}${minutes === 0 && tail === '' ? '' : `:${two(minutes)}`}${tail}`;
}

// The name of a zone at a time.
intl.zoneText = (zone, style, { offset, isDaylight }) => {
  const isLong = style.startsWith('long');
  if (!style.endsWith('Offset')) {
    const names = intl.data.zoneNames[intl.data.zones[zone]];
    const [standard, daylight, either] = names === undefined ? [] : isLong ? names : names.slice(3);
    // A zone whose names are one has no daylight saving today; at a time when it had some it is shown by offset.
    const name = style.endsWith('Generic') ? either : isDaylight ? daylight : standard;
    if (name) return name;
    if (offset === 0 && names === undefined && zone !== 'UTC') return isLong ? 'Greenwich Mean Time' : 'GMT';
  }
  if (offset === 0 && (style.endsWith('Offset') || zone === 'UTC')) return isLong ? 'GMT+00:00' : 'GMT+0';
  return offsetText(offset, isLong);
};

// "in the afternoon"
function periodOf(hour, minute, style) {
  if (hour === 12 && minute === 0 && style !== undefined) return style === 'narrow' ? 'n' : 'noon';
  if (hour >= 6 && hour < 12) return 'in the morning';
  if (hour >= 12 && hour < 18) return 'in the afternoon';
  return hour >= 18 && hour < 21 ? 'in the evening' : 'at night';
}

const era = (year, style) => {
  const names = { long: ['Before Christ', 'Anno Domini'], short: ['BC', 'AD'], narrow: ['B', 'A'] }[style];
  return names[year > 0 ? 1 : 0];
};

class DateTimeFormat {
  #options;
  #format;
  constructor(locales, options, target, required = 'any', defaults = 'date') {
    const { locale, keywords } = intl.resolve(locales);
    options = intl.objectOf(options);
    choice(options, TYPE, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    for (const [option, name] of [['calendar', 'ca'], ['numberingSystem', 'nu']]) {
      const value = choice(options, TYPE, option, undefined, keywords[name]);
      if (value !== undefined && !/^[a-z\d]{3,8}(?:-[a-z\d]{3,8})*$/i.test(value)) throw new RangeError(`Invalid ${option} : ${value}`);
    }
    const hour12 = intl.flag(options, 'hour12');
    let hourCycle = choice(options, TYPE, 'hourCycle', ['h11', 'h12', 'h23', 'h24'], ['h11', 'h12', 'h23', 'h24'].find((cycle) => cycle === keywords.hc));
    let zone = options.timeZone;
    if (zone === undefined) zone = intl.ownZone();
    else {
      const name = intl.zoneName(String(zone));
      if (name === undefined) throw invalidZone(String(zone));
      zone = name;
    }
    const fields = {};
    for (const [name, values] of Object.entries(FIELDS)) {
      const value = values === undefined ? intl.integer(options[name], name, 1, 3) : choice(options, TYPE, name, values);
      if (value !== undefined) fields[name] = value;
    }
    choice(options, TYPE, 'formatMatcher', ['basic', 'best fit'], 'best fit');
    const dateStyle = choice(options, TYPE, 'dateStyle', STYLES), timeStyle = choice(options, TYPE, 'timeStyle', STYLES);
    const hasStyle = dateStyle !== undefined || timeStyle !== undefined;
    if (hasStyle) {
      if (Object.keys(fields).length > 0) throw new TypeError('Invalid option : option');
      if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
      if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
      Object.assign(fields, DATE_STYLES[dateStyle], TIME_STYLES[timeStyle]);
    } else {
      addDefaults(fields, required, defaults);
    }
    const hasHour = fields.hour !== undefined;
    if (hour12 !== undefined) hourCycle = hour12 ? 'h12' : 'h23';
    hourCycle ??= 'h12';
    this.#options = { locale, zone, fields, dateStyle, timeStyle, hasHour, hourCycle };
    // What CLDR's patterns make of the digits.
    const is24 = hourCycle === 'h23' || hourCycle === 'h24';
    if (hasHour && is24) fields.hour = '2-digit';
    if (fields.minute !== undefined) fields.minute = hasHour || fields.second !== undefined ? '2-digit' : 'numeric';
    if (fields.second !== undefined) fields.second = fields.minute !== undefined ? '2-digit' : 'numeric';
    if (target !== undefined && target !== intl.constructors.DateTimeFormat) Object.setPrototypeOf(this, target.prototype);
  }
  get format() {
    return this.#format ??= Object.defineProperty((date) => joined(this.#parts(timeOf(date))).replaceAll(NARROW, ' '), 'name', { __proto__: null, value: '' });
  }
  formatToParts(date) { return this.#parts(timeOf(date)); }
  formatRange(start, end) { return joined(this.#range(start, end)); }
  formatRangeToParts(start, end) { return this.#range(start, end); }
  resolvedOptions() {
    const { locale, zone, fields, dateStyle, timeStyle, hasHour, hourCycle } = this.#options;
    const resolved = { locale, calendar: 'gregory', numberingSystem: 'latn', timeZone: zone };
    if (hasHour) Object.assign(resolved, { hourCycle, hour12: hourCycle === 'h12' || hourCycle === 'h11' });
    if (dateStyle === undefined && timeStyle === undefined) {
      for (const name of Object.keys(FIELDS)) if (fields[name] !== undefined) resolved[name] = fields[name];
    }
    if (dateStyle !== undefined) resolved.dateStyle = dateStyle;
    if (timeStyle !== undefined) resolved.timeStyle = timeStyle;
    return resolved;
  }
  #parts(milliseconds) { return this.#of(fieldsOf(milliseconds, this.#options.zone), this.#options.fields); }
  #of(time, fields) {
    const date = this.#date(time, fields), clock = this.#clock(time, fields);
    if (fields.timeZoneName !== undefined) {
      const name = { type: 'timeZoneName', value: intl.zoneText(this.#options.zone, fields.timeZoneName, time) };
      if (clock.length > 0) clock.push({ type: 'literal', value: ' ' }, name);
      else clock.push(name);
    }
    if (date.length === 0 || clock.length === 0) return [...date, ...clock];
    const isOnlyWeekday = Object.keys(fields).every((name) => !DATE_FIELDS.includes(name) || name === 'weekday');
    const glue = fields.month === 'long' ? ' at ' : isOnlyWeekday ? ' ' : ', ';
    return [...date, { type: 'literal', value: glue }, ...clock];
  }
  #date(time, fields) {
    const { weekday, year, month, day } = fields;
    const isText = TEXTS.includes(month);
    // The year of its era, also where the era is not said.
    const shownYear = time.year <= 0 ? 1 - time.year : time.year;
    const values = {
      weekday: weekday && text(DAYS, time.weekday, weekday),
      year: year && (year === '2-digit' ? two(Math.abs(shownYear) % 100) : String(shownYear)),
      month: month && (isText ? text(MONTHS, time.month, month) : month === '2-digit' ? two(time.month + 1) : String(time.month + 1)),
      day: day && (day === '2-digit' ? two(time.day) : String(time.day)),
    };
    const parts = [];
    const add = (...pattern) => {
      for (const piece of pattern) {
        if (Object.hasOwn(values, piece)) parts.push({ type: piece, value: values[piece] });
        else parts.push({ type: 'literal', value: piece });
      }
    };
    if (month !== undefined && day !== undefined) {
      if (weekday) add('weekday', ', ');
      add('month', isText ? ' ' : '/', 'day');
      if (year) add(isText ? ', ' : '/', 'year');
    } else {
      // Without a day, or without a month, the weekday comes last.
      const order = [month && 'month', year && 'year', day && 'day'].filter(Boolean);
      // What no pattern of CLDR's has is said with the field's name.
      const appended = weekday && order.join() === 'month' && month !== 'numeric' && month !== 'short' ? 'month' : order.join() === 'year,day' ? 'day' : undefined;
      if (appended !== undefined) {
        add(appended === 'month' ? 'weekday' : 'year', ` (${appended}: `, appended, ')');
        if (weekday && appended === 'day') add(' ', 'weekday');
      } else {
        order.forEach((name, at) => add(...(at === 0 ? [name] : [!isText && month ? '/' : ' ', name])));
        if (weekday) add(...(order.length === 0 ? ['weekday'] : [' ', 'weekday']));
      }
    }
    if (fields.era !== undefined) {
      if (parts.length > 0) parts.push({ type: 'literal', value: ' ' });
      parts.push({ type: 'era', value: era(time.year, fields.era) });
    }
    return parts;
  }
  #clock(time, fields) {
    const { hourCycle } = this.#options;
    const { dayPeriod, hour, minute, second, fractionalSecondDigits: digits } = fields;
    const parts = [];
    const add = (type, value, separator = ':') => {
      if (parts.length > 0) parts.push({ type: 'literal', value: separator });
      parts.push({ type, value });
    };
    const shown = (style, number) => (style === '2-digit' ? two(number) : String(number));
    if (hour !== undefined) {
      const number = { h11: time.hour % 12, h12: time.hour % 12 || 12, h23: time.hour, h24: time.hour || 24 }[hourCycle];
      add('hour', shown(hour, number));
    }
    if (minute !== undefined) add('minute', shown(minute, time.minute));
    if (second !== undefined) add('second', shown(second, time.second));
    if (digits !== undefined) add('fractionalSecond', String(time.millisecond).padStart(3, '0').slice(0, digits), '.');
    if (hour !== undefined && (hourCycle === 'h12' || hourCycle === 'h11')) {
      if (dayPeriod !== undefined) add('dayPeriod', periodOf(time.hour, time.minute, dayPeriod), ' ');
      else add('dayPeriod', time.hour < 12 ? 'AM' : 'PM', NARROW);
    } else if (dayPeriod !== undefined && hour === undefined) {
      add('dayPeriod', periodOf(time.hour, time.minute, dayPeriod), ' ');
    }
    return parts;
  }
  // What both times have in common is said once, where CLDR does that: for dates with a name of the
  // month the year or the month, for times of one day the date.
  #range(start, end) {
    if (start === undefined || end === undefined) throw new TypeError('startDate or endDate cannot be undefined');
    const { zone, fields } = this.#options;
    const [from, to] = [start, end].map((date) => fieldsOf(timeOf(date), zone));
    const withSource = (parts, source) => parts.map((part) => ({ ...part, source }));
    const [first, last] = [from, to].map((time) => this.#of(time, fields));
    if (joined(first) === joined(last)) return withSource(first, 'shared');
    const separator = { type: 'literal', value: `${THIN}–${THIN}`, source: 'shared' };
    const between = (a, b, before = [], behind = []) => [...withSource(before, 'shared'), ...withSource(a, 'startRange'), separator,
      ...withSource(b, 'endRange'), ...withSource(behind, 'shared')];
    const dateFields = Object.fromEntries(Object.entries(fields).filter(([name]) => DATE_FIELDS.includes(name)));
    const timeFields = Object.fromEntries(Object.entries(fields).filter(([name]) => !DATE_FIELDS.includes(name)));
    const isSameDay = from.year === to.year && from.month === to.month && from.day === to.day;
    if (Object.keys(timeFields).length > 0) {
      if (isSameDay) {
        const [a, b] = [from, to].map((time) => this.#of(time, timeFields));
        const isSameHalf = from.hour < 12 === to.hour < 12 && a.at(-1).type === 'dayPeriod';
        const date = this.#date(from, dateFields);
        const before = date.length === 0 ? [] : [...date, { type: 'literal', value: fields.month === 'long' ? ' at ' : ', ' }];
        return between(isSameHalf ? a.slice(0, -2) : a, b, before);
      }
      if (Object.keys(dateFields).length > 0) return between(first, last);
      const whole = { ...timeFields, year: 'numeric', month: 'numeric', day: 'numeric' };
      return between(this.#of(from, whole), this.#of(to, whole));
    }
    if (!TEXTS.includes(fields.month) || fields.month === undefined) return between(first, last);
    const { year, ...withoutYear } = dateFields;
    if (from.year !== to.year) {
      if (year !== undefined || fields.day === undefined) return between(first, last);
      const whole = { ...dateFields, year: 'numeric' };
      return between(this.#of(from, whole), this.#of(to, whole));
    }
    const behind = year === undefined ? [] : [{ type: 'literal', value: fields.day === undefined ? ' ' : ', ' }, { type: 'year', value: String(to.year) }];
    const a = this.#date(from, withoutYear), b = this.#date(to, withoutYear);
    if (from.month === to.month && fields.weekday === undefined) return between(a, b.slice(2), [], behind);
    return between(a, b, [], behind);
  }
}

function addDefaults(fields, required, defaults) {
  const asks = (names) => names.some((name) => fields[name] !== undefined);
  const needed = !((required !== 'time' && asks(DATE_FIELDS)) || (required !== 'date' && asks(TIME_FIELDS)));
  if (!needed) return;
  if (defaults !== 'time') Object.assign(fields, { year: 'numeric', month: 'numeric', day: 'numeric' });
  if (defaults !== 'date') Object.assign(fields, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
}

function timeOf(date) {
  const milliseconds = date === undefined ? Date.now() : Number(date);
  if (!(Math.abs(milliseconds) <= 8.64e15)) throw new RangeError('Invalid time value');
  return Math.trunc(milliseconds) + 0;
}

intl.DateTimeFormat = DateTimeFormat;
intl.finish(DateTimeFormat, 'DateTimeFormat');
intl.constructors.DateTimeFormat = intl.callable(DateTimeFormat);
intl.nameCallable('DateTimeFormat');

// Date.prototype.toLocaleString and the like.
intl.dateText = (date, locales, options, required, defaults) => {
  const milliseconds = Date.prototype.getTime.call(date);
  return Number.isNaN(milliseconds) ? 'Invalid Date' : new DateTimeFormat(locales, options, undefined, required, defaults).format(milliseconds);
};
