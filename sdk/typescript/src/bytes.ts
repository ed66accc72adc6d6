/** Bytes in JSON: as text where they are UTF-8, in base64 where they are not. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What may be given where bytes are wanted; text is sent as UTF-8. */
export type Data = string | Uint8Array;

/** Bytes on their way: one of the two is set. */
export interface Encoded {
  text?: string;
  base64?: string;
}

/** Prepares text or bytes for JSON. */
export function encode(data: Data): Encoded {
  return typeof data === "string" ? { text: data } : { base64: toBase64(data) };
}

/** The bytes that came as text or as base64. */
export function decode(encoded: { text?: string | undefined; base64?: string | undefined }): Uint8Array {
  return encoded.base64 === undefined ? encoder.encode(encoded.text ?? "") : fromBase64(encoded.base64);
}

/** Text of bytes; what is not UTF-8 is replaced. */
export function utf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Bytes of text. */
export function bytesOf(data: Data): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

/** One array of many. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Base64 of bytes. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Bytes of base64. The array has memory of its own. */
export function fromBase64(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

/** JSON of a value. Half a surrogate pair has no UTF-8: it is replaced, as it would be in a file. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud") ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\\ufffd") : json;
}
