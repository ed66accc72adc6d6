// Decimal numbers without loss: [isNegative, digits as a BigInt, how many of them are behind the
// point]. Rounding is done on the shortest text of a number, as ICU does it.
'use strict';

const power = (exponent) => 10n ** BigInt(exponent);

// A number, a BigInt or the text of a number as { negative, digits, scale }, or as { negative, special }.
intl.decimal = (value) => {
  let text;
  if (typeof value === 'string') {
    text = value.trim();
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return intl.decimal(Number(value));
  } else if (typeof value === 'bigint') {
    text = value.toString();
  } else {
    const number = Number(value);
    if (Number.isNaN(number)) return { negative: false, special: 'NaN' };
    if (!Number.isFinite(number)) return { negative: number < 0, special: '∞' };
    text = Object.is(number, -0) ? '-0' : String(number);
  }
  const [, sign, whole, fraction = '', exponent = '0'] = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
  const shift = Number(exponent);
  // What no number of a program has; its digits would not fit into memory.
  if (Math.abs(shift) > 10000) return { negative: sign === '-', special: shift > 0 ? '∞' : undefined, digits: 0n, scale: 0 };
  const digits = BigInt(`${whole}${fraction}` || '0'), scale = fraction.length - shift;
  return { negative: sign === '-', digits: scale < 0 ? digits * power(-scale) : digits, scale: Math.max(scale, 0) };
};

// The exponent of the first digit.
intl.magnitude = ({ digits, scale }) => (digits === 0n ? 0 : digits.toString().length - scale - 1);

intl.shifted = ({ negative, digits, scale }, by) => (by > scale ?
  { negative, digits: digits * power(by - scale), scale: 0 } : { negative, digits, scale: scale - by });

// Whether what is cut off adds one to what is kept.
function isUp(mode, negative, kept, rest, divisor) {
  if (rest === 0n) return false;
  const twice = rest * 2n;
  switch (mode) {
    case 'ceil': return !negative;
    case 'floor': return negative;
    case 'expand': return true;
    case 'trunc': return false;
  }
  if (twice !== divisor) return twice > divisor;
  switch (mode) {
    case 'halfCeil': return !negative;
    case 'halfFloor': return negative;
    case 'halfTrunc': return false;
    case 'halfEven': return kept % 2n === 1n;
    default: return true;
  }
}

// With `places` digits behind the point; before it, where that is negative.
intl.rounded = (value, places, mode = 'halfExpand', increment = 1) => {
  const { negative, digits, scale } = value;
  if (places >= scale && increment === 1) return value;
  const widened = places > scale ? digits * power(places - scale) : digits;
  const divisor = power(Math.max(scale - places, 0)) * BigInt(increment);
  let kept = widened / divisor;
  if (isUp(mode, negative, kept, widened % divisor, divisor)) kept += 1n;
  kept *= BigInt(increment);
  return places < 0 ? { negative, digits: kept * power(-places), scale: 0 } : { negative, digits: kept, scale: places };
};

// The digits before the point and those behind it, of which there are at least `least`.
intl.digitsOf = ({ digits, scale }, least) => {
  const text = digits.toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  let fraction = text.slice(text.length - scale);
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  return [whole, fraction.padEnd(least, '0')];
};
