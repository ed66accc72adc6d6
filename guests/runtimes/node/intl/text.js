// Intl.Collator and Segmenter. The order is the root's of CLDR for what Latin script uses; other
// letters come behind it in the order of their numbers, which is that of Greek, Cyrillic, …
'use strict';

const { choice } = intl;

const primary = new Map(); // character → weight
for (const [at, alike] of intl.data.order.entries()) for (const character of alike) primary.set(character, at + 1);
const ignored = new Set(intl.data.ignored);
const OTHERS = intl.data.order.length + 1;
const MARK = /\p{M}/u, PUNCTUATION = /[\p{P}\p{Z}\s]/u;
const EXPANDED = new Map(Object.entries({ æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ß: 'ss', ﬁ: 'fi', ﬂ: 'fl' }));
const PLAIN = /^[\t\n\r -~]*$/;

// The weights of a text: of its letters, of their marks, of their cases.
function weights(text, options) {
  const keys = { primary: [], marks: [], cases: [] };
  const isPlain = PLAIN.test(text);
  const whole = isPlain ? text : text.normalize('NFD').replace(/[æÆœŒßﬁﬂ]/g, (letter) => EXPANDED.get(letter));
  // One letter that stands for two comes behind the two.
  if (!isPlain) keys.expanded = (text.match(/[æÆœŒßﬁﬂ]/g) ?? []).length;
  for (let at = 0; at < whole.length;) {
    const character = String.fromCodePoint(whole.codePointAt(at));
    if (options.numeric && character >= '0' && character <= '9') {
      const digits = /^\d+/.exec(whole.slice(at))[0], number = digits.replace(/^0+(?=\d)/, '');
      // Behind all other digits, by length and then by their text.
      keys.primary.push(primary.get('0') + 0.5, number.length, ...Array.from(number, Number));
      keys.marks.push('');
      keys.cases.push(0);
      at += digits.length;
      continue;
    }
    at += character.length;
    if (MARK.test(character)) {
      if (keys.marks.length > 0) keys.marks[keys.marks.length - 1] += character;
      continue;
    }
    if (ignored.has(character) || options.ignorePunctuation && PUNCTUATION.test(character)) continue;
    const lower = character.toLowerCase();
    keys.primary.push(primary.get(character) ?? primary.get(lower) ?? OTHERS + lower.codePointAt(0));
    keys.marks.push('');
    keys.cases.push(lower === character ? 0 : 1);
  }
  return keys;
}

function compareLists(a, b) {
  for (let at = 0; at < a.length && at < b.length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
  return Math.sign(a.length - b.length);
}

function compare(a, b, options) {
  if (a === b) return 0;
  const x = weights(a, options), y = weights(b, options);
  const { sensitivity, caseFirst } = options;
  const byCase = () => compareLists(x.cases, y.cases) * (caseFirst === 'upper' ? -1 : 1);
  return compareLists(x.primary, y.primary) ||
    (sensitivity === 'accent' || sensitivity === 'variant' ? compareLists(x.marks, y.marks) : 0) ||
    (sensitivity === 'case' || sensitivity === 'variant' ? byCase() || Math.sign((x.expanded ?? 0) - (y.expanded ?? 0)) : 0) || 0;
}

class Collator {
  #options;
  #compare;
  constructor(locales, options, target) {
    const { locale, keywords } = intl.resolve(locales);
    options = intl.objectOf(options);
    const usage = choice(options, 'Collator', 'usage', ['sort', 'search'], 'sort');
    const numeric = intl.flag(options, 'numeric') ?? (keywords.kn !== undefined && keywords.kn !== 'false');
    const caseFirst = choice(options, 'Collator', 'caseFirst', ['upper', 'lower', 'false'], ['upper', 'lower'].find((it) => it === keywords.kf) ?? 'false');
    const sensitivity = choice(options, 'Collator', 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant');
    const ignorePunctuation = intl.flag(options, 'ignorePunctuation') ?? false;
    this.#options = { locale, usage, sensitivity, ignorePunctuation, collation: 'default', numeric, caseFirst };
    if (target !== undefined && target !== intl.constructors.Collator) Object.setPrototypeOf(this, target.prototype);
  }
  get compare() {
    return this.#compare ??= Object.defineProperty((a, b) => compare(String(a), String(b), this.#options), 'name', { __proto__: null, value: '' });
  }
  resolvedOptions() { return { ...this.#options }; }
}
intl.finish(Collator, 'Collator');
intl.constructors.Collator = intl.callable(Collator);
intl.nameCallable('Collator');

const USUAL = { sensitivity: 'variant', numeric: false, caseFirst: 'false', ignorePunctuation: false };
intl.compareTexts = (a, b, locales, options) => (locales === undefined && options === undefined ?
  compare(a, b, USUAL) : new Collator(locales, options).compare(a, b));

// Clusters by Unicode's rules: a base with its marks, joined emoji, flags, syllables of Hangul.
const PICTURE = '\\p{Extended_Pictographic}[\\p{Grapheme_Extend}\\p{Emoji_Modifier}]*';
const HANGUL = '[\\u1100-\\u115f\\ua960-\\ua97c]*(?:[\\uac00-\\ud7a3][\\u1160-\\u11a7\\ud7b0-\\ud7c6]*|[\\u1160-\\u11a7]+)[\\u11a8-\\u11ff\\ud7cb-\\ud7fb]*|[\\u1100-\\u115f\\ua960-\\ua97c]+|[\\u11a8-\\u11ff]+';
const EXTENDING = '[\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\p{Mc}\\u200d]*';
const CLUSTERS = `\\r\\n|[\\p{Cc}\\u2028\\u2029]|(?:${PICTURE}(?:\\u200d${PICTURE})*|\\p{RI}\\p{RI}|${HANGUL}|[^\\p{Cc}\\u2028\\u2029])${EXTENDING}`;
const LETTER = "[\\p{L}\\p{N}\\p{M}\\p{Pc}\\u200d]";
const WORDS = `\\r\\n|\\p{Extended_Pictographic}${EXTENDING}(?:\\u200d\\p{Extended_Pictographic}${EXTENDING})*|\\p{RI}\\p{RI}|[\\p{Script=Han}\\p{Script=Hiragana}]${EXTENDING}|\\p{Script=Katakana}+|(?:(?![\\p{Script=Han}\\p{Script=Hiragana}])${LETTER})+(?:(?:(?<=\\p{L})['.:\\u2019\\u00b7](?=\\p{L})|(?<=\\p{N})[.,;'](?=\\p{N}))(?:(?![\\p{Script=Han}\\p{Script=Hiragana}])${LETTER})+)*| +|${CLUSTERS}`;
const SENTENCES = '[^.!?\\n\\r\\u2028\\u2029]*(?:[.!?](?=[^\\s\\p{Pe}\\p{Pf}"\'.!?]|\\s+\\p{Ll})[^.!?\\n\\r]*)*(?:[.!?]+[\\p{Pe}\\p{Pf}"\']*[^\\S\\n\\r]*(?:\\r\\n|[\\n\\r\\u2028\\u2029])?|\\r\\n|[\\n\\r\\u2028\\u2029]|$)';
const PATTERNS = { grapheme: CLUSTERS, word: WORDS, sentence: SENTENCES };

class Segments {
  #text;
  #granularity;
  constructor(text, granularity) {
    this.#text = text;
    this.#granularity = granularity;
  }
  *[Symbol.iterator]() {
    const pattern = new RegExp(PATTERNS[this.#granularity], 'gu');
    for (const { 0: segment, index } of this.#text.matchAll(pattern)) {
      if (segment === '') continue;
      const found = { segment, index, input: this.#text };
      if (this.#granularity === 'word') found.isWordLike = /[\p{L}\p{N}]/u.test(segment);
      yield found;
    }
  }
  containing(at = 0) {
    const index = Math.trunc(Number(at)) || 0;
    if (index < 0 || index >= this.#text.length) return undefined;
    for (const found of this) if (index < found.index + found.segment.length) return found;
    return undefined;
  }
}
Object.defineProperty(Segments.prototype, Symbol.toStringTag, { __proto__: null, value: '%SegmentsPrototype%', configurable: true });

class Segmenter {
  #options;
  constructor(locales, options) {
    const { locale } = intl.resolve(locales);
    options = intl.objectOf(options);
    this.#options = { locale, granularity: choice(options, 'Segmenter', 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme') };
  }
  segment(text) { return new Segments(String(text), this.#options.granularity); }
  resolvedOptions() { return { ...this.#options }; }
}
intl.finish(Segmenter, 'Segmenter');
