// Prints the shapes of native node's bindings: `node --expose-internals shapes.mjs >shapes.json`.
//
// Run by hand with the version of Node that guest.toml names, and again for a new one; what it prints is
// committed. bindings/shapes.js says how it is used.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const { internalBinding } = createRequire(import.meta.url)('internal/test/binding');

// Bindings that are not there: what needs them says so when it is loaded.
const ABSENT = ['crypto', 'inspector', 'js_udp_wrap', 'profiler', 'quic', 'sqlite', 'tls_wrap', 'wasi', 'encoding_methods'];
const NAMES = process.argv.slice(2).filter((name) => !ABSENT.includes(name));
const DEEPEST = 7;

function shape(value, depth = 0) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  switch (typeof value) {
    case 'undefined': return { $undefined: true };
    case 'number': return Number.isFinite(value) && !Object.is(value, -0) ? value : { $number: String(value) };
    case 'bigint': return { $bigint: String(value) };
    case 'symbol': return { $symbol: value.description };
    case 'function': return functionShape(value, depth);
  }
  if (ArrayBuffer.isView(value)) return { $array: value.constructor.name, length: value.length };
  if (Array.isArray(value)) return depth > DEEPEST ? [] : value.map((item) => shape(item, depth + 1));
  if (value instanceof Map) return { $map: [...value].map(([key, item]) => [key, shape(item, depth + 1)]) };
  return depth > DEEPEST ? {} : properties(value, Object.getOwnPropertyNames(value), depth);
}

function properties(object, names, depth) {
  const result = {};
  for (const name of names) {
    try {
      result[name] = shape(object[name], depth + 1);
    } catch {
      // A getter that cannot be called here.
    }
  }
  return result;
}

function functionShape(value, depth) {
  const result = { $function: value.name };
  const methods = value.prototype ? Object.getOwnPropertyNames(value.prototype).filter((name) => name !== 'constructor') : [];
  if (methods.length > 0) result.methods = methods;
  const usual = ['length', 'name', 'prototype', 'arguments', 'caller'];
  const own = properties(value, Object.getOwnPropertyNames(value).filter((name) => !usual.includes(name)), depth);
  if (Object.keys(own).length > 0) result.own = own;
  return result;
}

const bindings = {};
for (const name of NAMES.sort()) {
  try {
    bindings[name] = shape(internalBinding(name));
  } catch {
    // Of another platform or build.
  }
}
delete bindings.builtins;
const options = internalBinding('options');
const { options: table, aliases } = options.getCLIOptionsInfo();
const config = structuredClone(process.config);
Object.assign(config.variables, { v8_enable_i18n_support: 0, node_use_openssl: false });
delete config.variables.node_builtin_shareable_builtins;
const versions = { ...process.versions };
// This script needs options that no program begins with.
const own = { '--expose-internals': false, '--no-expose-internals': true, '--warnings': true, '--no-warnings': false };
for (const absent of ['ares', 'cldr', 'icu', 'ncrypto', 'nghttp2', 'nghttp3', 'ngtcp2', 'openssl', 'sqlite', 'tz', 'unicode', 'uvwasi', 'simdjson']) delete versions[absent];
const sections = {
  versions,
  release: { name: 'node', lts: process.release.lts },
  config,
  errors: [...internalBinding('uv').getErrorMap()].map(([number, [name, text]]) => [number, name, text]),
  options: {
    options: [...table].map(([name, { type, envVarSettings, defaultIsTrue }]) => [name, { type, envVarSettings, defaultIsTrue, helpText: table.get(name).helpText }]),
    aliases: [...aliases],
    defaults: shape({ ...options.getCLIOptionsValues(), ...own }),
  },
};
const line = ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
console.log(`{\n${Object.entries(sections).map(line).join(',\n')},\n"bindings": {\n${Object.entries(bindings).map(line).join(',\n')}\n}\n}`);
