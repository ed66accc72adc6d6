// Intl.NumberFormat for en-US.
'use strict';

const { choice, integer, joined } = intl;
const TYPE = 'NumberFormat';
const NBSP = '\u00a0';
const MODES = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];
const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const COMPACT = [['', ''], ['K', 'thousand'], ['M', 'million'], ['B', 'billion'], ['T', 'trillion']];

// How many digits are shown, as ECMA-402 reads it (SetNumberFormatDigitOptions).
intl.readDigits = (options, [least, most], notation) => {
  const digits = { minimumIntegerDigits: integer(options.minimumIntegerDigits, 'minimumIntegerDigits', 1, 21, 1) };
  let { minimumFractionDigits: leastFraction, maximumFractionDigits: mostFraction,
    minimumSignificantDigits: leastSignificant, maximumSignificantDigits: mostSignificant } = options;
  const increment = integer(options.roundingIncrement, 'roundingIncrement', 1, 5000, 1);
  if (!INCREMENTS.includes(increment)) throw new RangeError('roundingIncrement value is out of range.');
  const mode = choice(options, TYPE, 'roundingMode', MODES, 'halfExpand');
  const asked = choice(options, TYPE, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto');
  const zeros = choice(options, TYPE, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto');
  if (increment !== 1) most = least;
  const hasSignificant = leastSignificant !== undefined || mostSignificant !== undefined;
  const hasFraction = leastFraction !== undefined || mostFraction !== undefined;
  const needsSignificant = asked !== 'auto' || hasSignificant;
  const needsFraction = asked !== 'auto' || !(needsSignificant || !hasFraction && notation === 'compact');
  if (needsSignificant) {
    leastSignificant = integer(leastSignificant, 'minimumSignificantDigits', 1, 21, 1);
    mostSignificant = integer(mostSignificant, 'maximumSignificantDigits', leastSignificant, 21, 21);
  }
  if (needsFraction) {
    leastFraction = integer(leastFraction, 'minimumFractionDigits', 0, 100, undefined);
    mostFraction = integer(mostFraction, 'maximumFractionDigits', 0, 100, undefined);
    leastFraction ??= Math.min(least, mostFraction ?? least);
    mostFraction ??= Math.max(most, leastFraction);
    if (leastFraction > mostFraction) throw new RangeError('maximumFractionDigits value is out of range.');
  }
  let priority = asked;
  if (!needsSignificant && !needsFraction) {
    [leastFraction, mostFraction, leastSignificant, mostSignificant, priority] = [0, 0, 1, 2, 'morePrecision'];
  }
  if (needsFraction || priority === 'morePrecision') Object.assign(digits, { minimumFractionDigits: leastFraction, maximumFractionDigits: mostFraction });
  if (needsSignificant || !needsFraction) Object.assign(digits, { minimumSignificantDigits: leastSignificant, maximumSignificantDigits: mostSignificant });
  if (increment !== 1 && (priority !== 'auto' || hasSignificant)) throw new TypeError('roundingIncrement value is invalid.');
  if (increment !== 1 && leastFraction !== mostFraction) throw new RangeError('roundingIncrement value is out of range.');
  return { digits, rounding: { roundingIncrement: increment, roundingMode: mode, roundingPriority: priority, trailingZeroDisplay: zeros } };
};

// A decimal with as many digits as `digits` says: [rounded, whole, fraction].
intl.roundedDigits = (value, { digits, rounding }) => {
  const { minimumFractionDigits: leastFraction, maximumFractionDigits: mostFraction,
    minimumSignificantDigits: leastSignificant, maximumSignificantDigits: mostSignificant } = digits;
  const bySignificant = () => {
    const places = mostSignificant - 1 - intl.magnitude(value);
    const rounded = intl.rounded(value, places, rounding.roundingMode);
    const first = intl.magnitude(rounded);
    return { places, rounded, least: Math.max(leastSignificant - 1 - first, 0) };
  };
  const byFraction = () => ({ places: mostFraction, least: leastFraction,
    rounded: intl.rounded(value, mostFraction, rounding.roundingMode, rounding.roundingIncrement) });
  let chosen;
  if (mostSignificant === undefined) chosen = byFraction();
  else if (mostFraction === undefined) chosen = bySignificant();
  else {
    const [significant, fraction] = [bySignificant(), byFraction()];
    const finer = fraction.places > significant.places ? fraction : significant;
    chosen = (rounding.roundingPriority === 'lessPrecision') === (finer === fraction) ? significant : fraction;
  }
  const [whole, fraction] = intl.digitsOf(chosen.rounded, chosen.least);
  const isInteger = /^0*$/.test(fraction) && rounding.trailingZeroDisplay === 'stripIfInteger';
  return [chosen.rounded, whole.padStart(digits.minimumIntegerDigits, '0'), isInteger ? '' : fraction];
};

// "one" is for 1 without digits behind it.
const isOne = (whole, fraction) => whole === '1' && fraction === '';

function grouped(whole, grouping, parts) {
  const isGrouped = grouping !== false && whole.length > (grouping === 'min2' ? 4 : 3);
  if (!isGrouped) return parts.push({ type: 'integer', value: whole });
  const first = whole.length % 3 || 3;
  parts.push({ type: 'integer', value: whole.slice(0, first) });
  for (let at = first; at < whole.length; at += 3) {
    parts.push({ type: 'group', value: ',' }, { type: 'integer', value: whole.slice(at, at + 3) });
  }
}

const isUnit = (unit) => {
  const parts = String(unit).split('-per-');
  return parts.length <= 2 && parts.every((part) => Object.hasOwn(intl.data.units, part));
};

class NumberFormat {
  #options;
  #format;
  constructor(locales, options, target) {
    const { locale, keywords } = intl.resolve(locales);
    options = intl.objectOf(options, TYPE);
    choice(options, TYPE, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    const numbering = choice(options, TYPE, 'numberingSystem', undefined, keywords.nu);
    if (numbering !== undefined && !/^[a-z\d]{3,8}(?:-[a-z\d]{3,8})*$/i.test(numbering)) throw new RangeError(`Invalid numberingSystem : ${numbering}`);
    const style = choice(options, TYPE, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const resolved = { locale, numberingSystem: 'latn', style };
    const currency = choice(options, TYPE, 'currency');
    if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
    if (currency === undefined && style === 'currency') throw new TypeError('Currency code is required with currency style.');
    const currencyDisplay = choice(options, TYPE, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
    const currencySign = choice(options, TYPE, 'currencySign', ['standard', 'accounting'], 'standard');
    const unit = choice(options, TYPE, 'unit');
    if (unit !== undefined && !isUnit(unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
    if (unit === undefined && style === 'unit') throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
    const unitDisplay = choice(options, TYPE, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
    if (style === 'currency') Object.assign(resolved, { currency: currency.toUpperCase(), currencyDisplay, currencySign });
    if (style === 'unit') Object.assign(resolved, { unit, unitDisplay });
    const notation = choice(options, TYPE, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    let defaults = [0, style === 'percent' ? 0 : 3];
    if (style === 'currency' && notation === 'standard') defaults = Array(2).fill(intl.data.currencies[resolved.currency]?.[0] ?? 2);
    const read = intl.readDigits(options, defaults, notation);
    const compactDisplay = choice(options, TYPE, 'compactDisplay', ['short', 'long'], 'short');
    const useGrouping = groupingOf(options.useGrouping, notation);
    const signDisplay = choice(options, TYPE, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
    Object.assign(resolved, read.digits, { useGrouping, notation }, notation === 'compact' ? { compactDisplay } : {}, { signDisplay }, read.rounding);
    this.#options = { ...resolved, ...read };
    if (target !== undefined && target !== intl.constructors.NumberFormat) Object.setPrototypeOf(this, target.prototype);
  }
  get format() {
    return this.#format ??= Object.defineProperty((value) => this.#text(intl.numeric(value)), 'name', { __proto__: null, value: '' });
  }
  formatToParts(value) { return this.#parts(intl.numeric(value)); }
  formatRange(start, end) { return joined(this.#range(start, end)); }
  formatRangeToParts(start, end) { return this.#range(start, end); }
  resolvedOptions() {
    const { digits, rounding, ...resolved } = this.#options;
    return resolved;
  }
  #text(value) { return joined(this.#parts(value)); }
  #range(start, end) {
    if (start === undefined || end === undefined) throw new TypeError('start or end is undefined');
    const [first, last] = [start, end].map((value) => {
      const numeric = intl.numeric(value);
      if (Number.isNaN(numeric)) throw new RangeError('Invalid argument');
      return this.#parts(numeric);
    });
    const withSource = (parts, source) => parts.map((part) => ({ ...part, source }));
    if (joined(first) === joined(last)) return [{ type: 'approximatelySign', value: '~', source: 'shared' }, ...withSource(first, 'shared')];
    // The unit of both is said once.
    const { style } = this.#options;
    const isShared = (type) => style === 'unit' && ['unit', 'literal'].includes(type);
    let behind = [];
    const tail = (parts) => parts.length - parts.findLastIndex((part) => !isShared(part.type)) - 1;
    const [a, b] = [tail(first), tail(last)];
    if (a > 0 && a === b && joined(first.slice(-a)) === joined(last.slice(-b))) {
      behind = first.splice(-a);
      last.splice(-b);
    }
    const isPlain = first.concat(last).every((part) => ['integer', 'group', 'decimal', 'fraction'].includes(part.type));
    const separator = isPlain ? '–' : ' – ';
    return [...withSource(first, 'startRange'), { type: 'literal', value: separator, source: 'shared' },
      ...withSource(last, 'endRange'), ...withSource(behind, 'shared')];
  }
  #parts(value) {
    const options = this.#options;
    let decimal = intl.decimal(value);
    const number = [];
    let exponent = 0, isSingular = false, isZero = false;
    if (decimal.special !== undefined) {
      number.push({ type: decimal.special === 'NaN' ? 'nan' : 'infinity', value: decimal.special });
    } else {
      if (options.style === 'percent') decimal = intl.shifted(decimal, 2);
      let result;
      [exponent, result] = this.#scaled(decimal);
      const [rounded, whole, fraction] = result;
      isZero = rounded.digits === 0n;
      isSingular = isOne(whole, fraction) && exponent === 0;
      grouped(whole, options.useGrouping, number);
      if (fraction !== '') number.push({ type: 'decimal', value: '.' }, { type: 'fraction', value: fraction });
      this.#notation(exponent, number);
    }
    const sign = this.#sign(decimal, isZero);
    return this.#styled(number, sign, isSingular);
  }
  // The number before its exponent, which may move once more by rounding.
  #scaled(decimal) {
    const { notation } = this.#options;
    const round = (exponent) => intl.roundedDigits(exponent === 0 ? decimal : divided(decimal, exponent), this.#options);
    if (notation === 'standard') return [0, round(0)];
    const exponentFor = (magnitude) => {
      if (notation === 'scientific') return magnitude;
      if (notation === 'engineering') return Math.floor(magnitude / 3) * 3;
      return Math.min(Math.max(Math.floor(magnitude / 3) * 3, 0), 12);
    };
    const exponent = exponentFor(intl.magnitude(decimal));
    const result = round(exponent);
    const next = exponentFor(intl.magnitude(result[0]) + exponent);
    return next > exponent ? [next, round(next)] : [exponent, result];
  }
  #notation(exponent, number) {
    const { notation, compactDisplay } = this.#options;
    if (notation === 'compact' && exponent > 0) {
      const [short, long] = COMPACT[exponent / 3];
      if (compactDisplay === 'long') number.push({ type: 'literal', value: ' ' });
      number.push({ type: 'compact', value: compactDisplay === 'long' ? long : short });
    } else if (notation === 'scientific' || notation === 'engineering') {
      number.push({ type: 'exponentSeparator', value: 'E' });
      if (exponent < 0) number.push({ type: 'exponentMinusSign', value: '-' });
      number.push({ type: 'exponentInteger', value: String(Math.abs(exponent)) });
    }
  }
  #sign(decimal, isZero) {
    const isNumber = decimal.special !== 'NaN';
    switch (this.#options.signDisplay) {
      case 'never': return '';
      case 'always': return decimal.negative ? '-' : '+';
      case 'exceptZero': return isZero || !isNumber ? '' : decimal.negative ? '-' : '+';
      case 'negative': return decimal.negative && !isZero ? '-' : '';
      default: return decimal.negative ? '-' : '';
    }
  }
  #styled(number, sign, isSingular) {
    const { style, currencySign, notation } = this.#options;
    const signs = sign === '' ? [] : [{ type: sign === '-' ? 'minusSign' : 'plusSign', value: sign }];
    if (style === 'percent') return [...signs, ...number, { type: 'percentSign', value: '%' }];
    if (style === 'currency') return this.#withCurrency(number, sign, signs, isSingular);
    if (style === 'unit') return this.#withUnit([...signs, ...number], isSingular);
    return [...signs, ...number];
  }
  #withCurrency(number, sign, signs, isSingular) {
    const { currency, currencyDisplay, currencySign } = this.#options;
    const [, short = 0, narrow = 0, one = currency, others = currency] = intl.data.currencies[currency] ?? [];
    if (currencyDisplay === 'name') {
      return [...signs, ...number, { type: 'literal', value: ' ' }, { type: 'currency', value: isSingular ? one : others }];
    }
    const symbol = currencyDisplay === 'code' ? currency : currencyDisplay === 'narrowSymbol' && narrow !== 0 ? narrow : short || currency;
    const shown = [{ type: 'currency', value: symbol }];
    // A letter does not touch a digit.
    if (/\p{L}$/u.test(symbol) && number[0].type === 'integer') shown.push({ type: 'literal', value: NBSP });
    if (sign === '-' && currencySign === 'accounting') {
      return [{ type: 'literal', value: '(' }, ...shown, ...number, { type: 'literal', value: ')' }];
    }
    return [...signs, ...shown, ...number];
  }
  #withUnit(number, isSingular) {
    const { unit, unitDisplay } = this.#options;
    const at = ['short', 'narrow', 'long'].indexOf(unitDisplay), form = isSingular ? 0 : 1;
    const [first, second] = unit.split('-per-');
    const pattern = intl.data.special[unit]?.[at][form] ||
      intl.data.units[first][at][form] + (second === undefined ? '' : intl.data.per[second][at]);
    const [before, behind] = pattern.split('{0}');
    const type = unit === 'percent' ? 'percentSign' : 'unit';
    const around = (text) => (/^(\s*)(.*?)(\s*)$/.exec(text).slice(1).map((value, part) => ({ type: part === 1 ? type : 'literal', value })).filter((part) => part.value !== ''));
    return [...around(before), ...number, ...around(behind)];
  }
}

function divided(decimal, exponent) {
  return exponent >= 0 ? { ...decimal, scale: decimal.scale + exponent } : intl.shifted(decimal, -exponent);
}

function groupingOf(asked, notation) {
  const fallback = notation === 'compact' ? 'min2' : 'auto';
  if (asked === undefined || asked === 'true' || asked === 'false') return fallback;
  if (asked === true) return 'always';
  if (!asked) return false;
  const text = String(asked);
  if (!['min2', 'auto', 'always'].includes(text)) throw new RangeError(`Value ${text} out of range for Intl.NumberFormat options property useGrouping`);
  return text;
}

// What can be formatted: a number, a BigInt, or a text that keeps all its digits.
intl.numeric = (value) => {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return value;
  const primitive = typeof value === 'object' && value !== null ? value[Symbol.toPrimitive]?.('number') ?? value.valueOf() : value;
  return typeof primitive === 'bigint' || typeof primitive === 'string' ? primitive : Number(primitive);
};

intl.finish(NumberFormat, 'NumberFormat');
intl.constructors.NumberFormat = intl.callable(NumberFormat);
intl.nameCallable('NumberFormat');
