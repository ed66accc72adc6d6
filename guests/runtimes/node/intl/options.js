// What all of Intl shares: how options are read, and which locale answers.
'use strict';

// The only locale that there is data for; others are answered with it, as by a Node with small ICU.
const DEFAULT = 'en-US';

const outOfRange = (value, type, name) => new RangeError(`Value ${String(value)} out of range for Intl.${type} options property ${name}`);

intl.objectOf = (options, type) => {
  if (options === undefined) return Object.create(null);
  if (options === null) throw new TypeError(type === undefined ? 'Cannot convert undefined or null to object' : `Intl.${type} called on null or undefined`);
  return Object(options);
};

// A string of `values`, or what `fallback` is.
intl.choice = (options, type, name, values, fallback) => {
  const value = options[name];
  if (value === undefined) return fallback;
  const text = String(value);
  if (values !== undefined && !values.includes(text)) throw outOfRange(text, type, name);
  return text;
};

intl.flag = (options, name) => (options[name] === undefined ? undefined : Boolean(options[name]));

intl.integer = (value, name, least, most, fallback) => {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
  return Math.floor(number);
};

const LANGUAGE = /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;

// A tag as BCP 47 writes it.
intl.canonical = (tag) => {
  if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) throw new TypeError('Incorrect locale information provided');
  const text = tag instanceof intl.Locale ? tag.toString() : String(tag);
  if (!LANGUAGE.test(text)) throw new RangeError(`Incorrect locale information provided`);
  let extension = false;
  return text.split('-').map((part, at) => {
    const lower = part.toLowerCase();
    if (at === 0) return lower;
    if (part.length === 1) extension = true;
    if (extension) return lower;
    if (part.length === 4 && !/^\d/.test(part)) return lower[0].toUpperCase() + lower.slice(1);
    return part.length === 2 ? lower.toUpperCase() : lower;
  }).join('-');
};

intl.canonicalList = (locales) => {
  if (locales === undefined) return [];
  if (typeof locales === 'string' || locales instanceof intl.Locale) return [intl.canonical(locales)];
  if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
  const found = Array.from(Object(locales), intl.canonical);
  return [...new Set(found)];
};

// The part of a tag that there is data for: en and en-US.
const supported = (tag) => {
  const [base] = tag.split(/-(?:u|x|t)-/);
  if (base === 'en-US') return base;
  return base === 'en' || base.startsWith('en-') ? 'en' : undefined;
};

// The locale that answers, with the keys of -u- that `keys` names.
intl.resolve = (locales) => {
  for (const tag of intl.canonicalList(locales)) {
    const found = supported(tag);
    if (found !== undefined) return { locale: found, keywords: keywordsOf(tag) };
  }
  return { locale: DEFAULT, keywords: {} };
};

function keywordsOf(tag) {
  const found = /-u((?:-[a-z\d]{2,8})+)/.exec(tag);
  const keywords = {};
  let key;
  for (const part of found === null ? [] : found[1].slice(1).split('-')) {
    if (part.length === 2) keywords[key = part] = '';
    else if (key !== undefined) keywords[key] += (keywords[key] && '-') + part;
  }
  return keywords;
}
intl.keywordsOf = keywordsOf;

intl.supportedLocalesOf = (locales, options) => {
  intl.choice(intl.objectOf(options), 'Locale', 'localeMatcher', ['lookup', 'best fit'], 'best fit');
  return intl.canonicalList(locales).filter((tag) => supported(tag) !== undefined);
};

// Adds what each constructor of Intl has, and makes its methods not enumerable.
intl.finish = (Class, name, bound = []) => {
  const hide = (object, key, value) => Object.defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  hide(Class, 'supportedLocalesOf', { supportedLocalesOf(locales, options) { return intl.supportedLocalesOf(locales, options); } }.supportedLocalesOf);
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value: `Intl.${name}`, configurable: true });
  Object.defineProperty(Class, 'name', { __proto__: null, value: name, configurable: true });
  Object.defineProperty(Class, 'length', { __proto__: null, value: 0, configurable: true });
  intl.constructors[name] = Class;
};

// Constructors that can be called without `new`.
intl.callable = (Class) => {
  const wrapper = function (locales, options) { return new Class(locales, options, new.target); };
  wrapper.prototype = Class.prototype;
  Object.defineProperty(wrapper, 'prototype', { __proto__: null, writable: false, enumerable: false });
  Object.defineProperty(Class.prototype, 'constructor', { __proto__: null, value: wrapper, writable: true, configurable: true, enumerable: false });
  return wrapper;
};

intl.joined = (parts) => parts.map((part) => part.value).join('');
