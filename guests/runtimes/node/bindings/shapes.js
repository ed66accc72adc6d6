// Bindings: what Node's library gets from internalBinding().
//
// A binding begins as native node's shape of it (shapes.json: names, constants, classes), in which
// every function refuses to be called. What works is filled in by `define`; so a function that
// nobody has written says so when a program calls it, and constants are Node's own.
'use strict';

const shapes = JSON.parse(host.library.read('shapes.json'));
host.shapes = shapes;

const typedArrays = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array, BigInt64Array, BigUint64Array };

// What Node throws for a feature that a platform lacks.
host.unavailable = (feature) => {
  const error = new TypeError(`The feature ${feature} is unavailable on the current platform, which is being used to run Node.js`);
  error.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
  return error;
};

function refusal(name, path) {
  return { [name]: function() { throw host.unavailable(path); } }[name];
}

function fromShape(shape, path) {
  if (shape === null || typeof shape !== 'object') return shape;
  if (Array.isArray(shape)) return shape.map((item, index) => fromShape(item, `${path}.${index}`));
  if ('$undefined' in shape) return undefined;
  if ('$number' in shape) return Number(shape.$number);
  if ('$bigint' in shape) return BigInt(shape.$bigint);
  if ('$symbol' in shape) return Symbol(shape.$symbol);
  if ('$array' in shape) return new typedArrays[shape.$array](shape.length);
  if ('$map' in shape) return new Map(shape.$map.map(([key, item]) => [key, fromShape(item, path)]));
  if ('$function' in shape) {
    const made = refusal(shape.$function, path);
    for (const method of shape.methods ?? []) made.prototype[method] = refusal(method, `${path}#${method}`);
    for (const key of Object.keys(shape.own ?? {})) made[key] = fromShape(shape.own[key], `${path}.${key}`);
    return made;
  }
  const made = {};
  for (const key of Object.keys(shape)) made[key] = fromShape(shape[key], `${path}.${key}`);
  return made;
}
host.fromShape = fromShape;

const made = { __proto__: null };
const fills = { __proto__: null };

host.define = (name, fill) => {
  if (fills[name] !== undefined) throw new Error(`binding ${name} is defined twice`);
  fills[name] = fill;
};

// What a file adds to a binding that another one defines.
const extensions = { __proto__: null };
host.extend = (name, fill) => (extensions[name] ??= []).push(fill);

host.binding = (name) => {
  if (made[name] !== undefined) return made[name];
  if (shapes.bindings[name] === undefined && fills[name] === undefined) {
    const error = new Error(`No such binding: ${name}`);
    error.code = 'ERR_INVALID_MODULE';
    throw error;
  }
  const binding = fromShape(shapes.bindings[name] ?? {}, name);
  made[name] = binding;
  fills[name]?.(binding);
  for (const fill of extensions[name] ?? []) fill(binding);
  return binding;
};

// A function by its name, for those whose name Node shows.
host.named = (name, call) => Object.defineProperty(call, 'name', { __proto__: null, value: name, configurable: true });
