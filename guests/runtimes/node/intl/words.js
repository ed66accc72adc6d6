// Intl.PluralRules, ListFormat, RelativeTimeFormat, DisplayNames and Locale for en-US.
'use strict';

const { choice } = intl;

class PluralRules {
  #options;
  constructor(locales, options) {
    const { locale } = intl.resolve(locales);
    options = intl.objectOf(options);
    const type = choice(options, 'PluralRules', 'type', ['cardinal', 'ordinal'], 'cardinal');
    const read = intl.readDigits(options, [0, 3], 'standard');
    this.#options = { locale: locale.slice(0, 2), type, ...read };
  }
  select(value) {
    const { type } = this.#options;
    const number = Number(value);
    if (!Number.isFinite(number)) return 'other';
    const [, whole, fraction] = intl.roundedDigits(intl.decimal(number), this.#options);
    if (type === 'cardinal') return whole === '1' && fraction === '' ? 'one' : 'other';
    if (fraction !== '' || /1[123]$/.test(whole)) return 'other';
    return { 1: 'one', 2: 'two', 3: 'few' }[whole.at(-1)] ?? 'other';
  }
  selectRange(start, end) {
    if (start === undefined || end === undefined) throw new TypeError('startRange or endRange is undefined');
    if (Number.isNaN(Number(start)) || Number.isNaN(Number(end))) throw new RangeError('Invalid argument');
    return this.select(end);
  }
  resolvedOptions() {
    const { locale, type, digits, rounding } = this.#options;
    const categories = type === 'cardinal' ? ['one', 'other'] : ['one', 'two', 'few', 'other'];
    return { locale, type, ...digits, pluralCategories: categories, ...rounding };
  }
}
intl.finish(PluralRules, 'PluralRules');

// What is between the last two of a list, and between two where there are no others.
const LISTS = {
  conjunction: { long: [', and ', ' and '], short: [', & ', ' & '], narrow: [', ', ', '] },
  disjunction: { long: [', or ', ' or '], short: [', or ', ' or '], narrow: [', or ', ' or '] },
  unit: { long: [', ', ', '], short: [', ', ', '], narrow: [' ', ' '] },
};

class ListFormat {
  #options;
  constructor(locales, options) {
    const { locale } = intl.resolve(locales);
    if (options !== undefined && (typeof options !== 'object' || options === null)) throw new TypeError('Incorrect options argument');
    options = intl.objectOf(options);
    const type = choice(options, 'ListFormat', 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
    const style = choice(options, 'ListFormat', 'style', ['long', 'short', 'narrow'], 'long');
    this.#options = { locale, type, style };
  }
  format(list) { return intl.joined(this.formatToParts(list)); }
  formatToParts(list) {
    const { type, style } = this.#options;
    const items = list === undefined ? [] : Array.from(list, (item) => {
      if (typeof item !== 'string') throw new TypeError(`Iterable yielded ${String(item)} which is not a string`);
      return item;
    });
    const [last, pair] = LISTS[type][style];
    const middle = type === 'unit' && style === 'narrow' ? ' ' : ', ';
    return items.flatMap((value, at) => {
      const separator = at === 0 ? [] : [{ type: 'literal', value: items.length === 2 ? pair : at === items.length - 1 ? last : middle }];
      return [...separator, { type: 'element', value }];
    });
  }
  resolvedOptions() { return { ...this.#options }; }
}
intl.finish(ListFormat, 'ListFormat');

const TIMES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
const SHORT_TIMES = { second: ['sec.'], minute: ['min.'], hour: ['hr.'], day: ['day', 'days'], week: ['wk.'], month: ['mo.'], quarter: ['qtr.', 'qtrs.'], year: ['yr.'] };
const NARROW_TIMES = { second: 's', minute: 'm', hour: 'h', day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' };
// With numeric: 'auto'.
const NAMED = { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }, second: { 0: 'now' } };

class RelativeTimeFormat {
  #options;
  #numbers;
  constructor(locales, options) {
    const { locale } = intl.resolve(locales);
    options = intl.objectOf(options);
    const style = choice(options, 'RelativeTimeFormat', 'style', ['long', 'short', 'narrow'], 'long');
    const numeric = choice(options, 'RelativeTimeFormat', 'numeric', ['always', 'auto'], 'always');
    this.#options = { locale, style, numeric, numberingSystem: 'latn' };
    this.#numbers = new intl.constructors.NumberFormat('en-US');
  }
  format(value, unit) { return intl.joined(this.formatToParts(value, unit)); }
  formatToParts(value, unit) {
    const number = Number(value);
    const name = String(unit).replace(/s$/, '');
    if (!TIMES.includes(name)) throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${unit}'`);
    if (!Number.isFinite(number)) throw new RangeError('Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()');
    const { style, numeric } = this.#options;
    const literal = (text) => [{ type: 'literal', value: text }];
    const isPast = number < 0 || Object.is(number, -0);
    if (numeric === 'auto') {
      const named = this.#named(name, number);
      if (named !== undefined) return literal(named);
    }
    const parts = this.#numbers.formatToParts(Math.abs(number)).map((part) => ({ ...part, unit: name }));
    const isSingular = intl.joined(parts) === '1';
    const [one, others = one] = SHORT_TIMES[name];
    const words = { long: ` ${isSingular ? name : `${name}s`}`, short: ` ${isSingular ? one : others}`, narrow: NARROW_TIMES[name] }[style];
    return isPast ? [...parts, ...literal(`${words} ago`)] : [...literal('in '), ...parts, ...literal(words)];
  }
  #named(name, number) {
    const key = Object.is(number, -0) ? '0' : String(number);
    const own = NAMED[name]?.[key];
    if (own !== undefined) return own;
    const which = { '-1': 'last', 0: 'this', 1: 'next' }[key];
    if (which === undefined || name === 'day' || name === 'second') return undefined;
    if (name === 'hour' || name === 'minute') return which === 'this' ? `this ${name}` : undefined;
    return `${which} ${this.#options.style === 'long' ? name : SHORT_TIMES[name][0]}`;
  }
  resolvedOptions() { return { ...this.#options }; }
}
intl.finish(RelativeTimeFormat, 'RelativeTimeFormat');

class DisplayNames {
  #options;
  constructor(locales, options) {
    const { locale } = intl.resolve(locales);
    if (options === undefined) throw new TypeError('Cannot convert undefined or null to object');
    options = intl.objectOf(options);
    const style = choice(options, 'DisplayNames', 'style', ['narrow', 'short', 'long'], 'long');
    const type = choice(options, 'DisplayNames', 'type', ['language', 'region', 'script', 'currency', 'calendar', 'dateTimeField']);
    if (type === undefined) throw new TypeError('invalid_argument');
    const fallback = choice(options, 'DisplayNames', 'fallback', ['code', 'none'], 'code');
    const languageDisplay = choice(options, 'DisplayNames', 'languageDisplay', ['dialect', 'standard'], 'dialect');
    this.#options = { locale, style, type, fallback, ...(type === 'language' ? { languageDisplay } : {}) };
  }
  of(code) {
    const { type, fallback } = this.#options;
    const text = String(code);
    const invalid = () => new RangeError('invalid_argument');
    const { regions, languages, scripts, currencies } = intl.data;
    let key = text, found;
    if (type === 'region') {
      if (!/^(?:[a-z]{2}|\d{3})$/i.test(text)) throw invalid();
      found = regions[text] ?? (/^[A-Z]/.test(text) ? undefined : regions[text.toUpperCase()] && text);
    } else if (type === 'currency') {
      if (!/^[a-z]{3}$/i.test(text)) throw invalid();
      key = text.toUpperCase();
      found = currencies[key]?.[3].replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
    } else if (type === 'script') {
      if (!/^[a-z]{4}$/i.test(text)) throw invalid();
      found = scripts[key = text[0].toUpperCase() + text.slice(1).toLowerCase()];
    } else if (type === 'language') {
      key = intl.canonical(text);
      found = languages[key] ?? this.#parts(key);
    } else {
      throw new RangeError(`Intl.DisplayNames has no names of type ${type} here`);
    }
    return found ?? (fallback === 'code' ? key : undefined);
  }
  #parts(tag) {
    const [language, ...rest] = tag.split('-');
    const { regions, languages, scripts } = intl.data;
    const names = rest.map((part) => regions[part] ?? scripts[part]);
    if (languages[language] === undefined || names.includes(undefined)) return undefined;
    return names.length === 0 ? languages[language] : `${languages[language]} (${names.join(', ')})`;
  }
  resolvedOptions() { return { ...this.#options }; }
}
intl.finish(DisplayNames, 'DisplayNames');

class Locale {
  #tag;
  constructor(tag, options) {
    if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) throw new TypeError('First argument to Intl.Locale constructor can\'t be empty or missing');
    options = intl.objectOf(options);
    let canonical = intl.canonical(tag);
    const base = /^([^-]+)(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|\d{3}))?/.exec(canonical);
    const rest = canonical.slice(base[0].length);
    const language = options.language ?? base[1], script = options.script ?? base[2], region = options.region ?? base[3];
    canonical = intl.canonical([language, script, region].filter((part) => part !== undefined).join('-') + rest);
    const keys = intl.keywordsOf(canonical);
    for (const [option, key] of [['calendar', 'ca'], ['collation', 'co'], ['hourCycle', 'hc'], ['caseFirst', 'kf'], ['numeric', 'kn'], ['numberingSystem', 'nu']]) {
      if (options[option] !== undefined) keys[key] = option === 'numeric' ? options[option] ? '' : 'false' : String(options[option]).toLowerCase();
    }
    const extension = Object.keys(keys).sort().map((key) => `-${key}${keys[key] === '' || keys[key] === 'true' ? '' : `-${keys[key]}`}`).join('');
    this.#tag = canonical.replace(/-u(?:-[a-z\d]{2,8})+/, '') + (extension === '' ? '' : `-u${extension}`);
  }
  #part(at) { return /^([^-]+)(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|\d{3}))?/.exec(this.#tag)[at]; }
  #key(key) { return intl.keywordsOf(this.#tag)[key]; }
  toString() { return this.#tag; }
  get baseName() { return this.#tag.replace(/-(?:u|t|x)-.*$/, ''); }
  get language() { return this.#part(1); }
  get script() { return this.#part(2); }
  get region() { return this.#part(3); }
  get calendar() { return this.#key('ca'); }
  get collation() { return this.#key('co'); }
  get hourCycle() { return this.#key('hc'); }
  get caseFirst() { return this.#key('kf'); }
  get numeric() { return this.#key('kn') === ''; }
  get numberingSystem() { return this.#key('nu'); }
  getTextInfo() { return { direction: ['ar', 'fa', 'he', 'ur', 'yi', 'ps', 'sd', 'ug', 'dv'].includes(this.language) ? 'rtl' : 'ltr' }; }
  maximize() { return new Locale({ en: 'en-Latn-US' }[this.baseName] ?? (this.baseName === 'en-US' ? 'en-Latn-US' : this.#tag)); }
  minimize() { return new Locale({ 'en-Latn-US': 'en', 'en-US': 'en', 'en-Latn': 'en' }[this.baseName] ?? this.#tag); }
}
intl.finish(Locale, 'Locale');
delete Locale.supportedLocalesOf;
Object.defineProperty(Locale, 'length', { __proto__: null, value: 1, configurable: true });
intl.Locale = Locale;
