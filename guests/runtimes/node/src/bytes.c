/* Bytes and text: the encodings of Buffer, comparing and searching. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* Numbers of bindings/encodings.js. */
enum encoding { ASCII, LATIN1, UTF8, UCS2, HEX, BASE64, BASE64URL };

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Bytes to text. */

/* Takes one character off: its code point, or U+FFFD for the longest part that begins as UTF-8 does. */
static uint32_t decode_character(const uint8_t *bytes, size_t length, size_t *at)
{
    uint32_t code = bytes[(*at)++], low = 0x80, high = 0xbf;
    int more;
    if (code < 0x80) {
        return code;
    }
    if (code >= 0xc2 && code <= 0xdf) {
        more = 1;
        code &= 0x1f;
    }
    else if (code >= 0xe0 && code <= 0xef) {
        more = 2;
        low = code == 0xe0 ? 0xa0 : low;
        high = code == 0xed ? 0x9f : high;
        code &= 0x0f;
    }
    else if (code >= 0xf0 && code <= 0xf4) {
        more = 3;
        low = code == 0xf0 ? 0x90 : low;
        high = code == 0xf4 ? 0x8f : high;
        code &= 0x07;
    }
    else {
        return UINT32_MAX;
    }
    for (; more > 0; more--) {
        if (*at >= length || bytes[*at] < low || bytes[*at] > high) {
            return UINT32_MAX;
        }
        code = code << 6 | (bytes[(*at)++] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    return code;
}

static size_t ascii_prefix(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    for (uint64_t block; at + sizeof block <= length; at += sizeof block) {
        memcpy(&block, bytes + at, sizeof block);
        if (block & 0x8080808080808080u) {
            break;
        }
    }
    while (at < length && bytes[at] < 0x80) {
        at++;
    }
    return at;
}

JSValue text_from_utf8(JSContext *ctx, const uint8_t *bytes, size_t length)
{
    if (ascii_prefix(bytes, length) == length) {
        return text_from_latin1(ctx, bytes, length);
    }
    uint16_t *units = malloc(length * sizeof *units);
    if (units == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    size_t count = 0;
    for (size_t at = 0; at < length;) {
        uint32_t code = decode_character(bytes, length, &at);
        if (code == UINT32_MAX) {
            code = 0xfffd;
        }
        if (code >= 0x10000) {
            units[count++] = (uint16_t)(0xd800 | (code - 0x10000) >> 10);
            code = 0xdc00 | (code & 0x3ff);
        }
        units[count++] = (uint16_t)code;
    }
    JSValue text = text_from_utf16(ctx, units, count);
    free(units);
    return text;
}

static JSValue to_hex(JSContext *ctx, const uint8_t *bytes, size_t length)
{
    char *text = malloc(2 * length);
    if (text == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    for (size_t i = 0; i < length; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    JSValue result = text_from_latin1(ctx, text, 2 * length);
    free(text);
    return result;
}

static JSValue to_base64(JSContext *ctx, const uint8_t *bytes, size_t length, const char *digits, bool pads)
{
    char *text = malloc(length / 3 * 4 + 4);
    if (text == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    size_t count = 0;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        for (size_t digit = 0; digit < 4; digit++) {
            if (digit <= left) {
                text[count++] = digits[group >> (18 - 6 * digit) & 63];
            }
            else if (pads) {
                text[count++] = '=';
            }
        }
    }
    JSValue result = text_from_latin1(ctx, text, count);
    free(text);
    return result;
}

static JSValue to_ascii(JSContext *ctx, const uint8_t *bytes, size_t length)
{
    uint8_t *text = malloc(length);
    if (text == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    for (size_t i = 0; i < length; i++) {
        text[i] = bytes[i] & 0x7f;
    }
    JSValue result = text_from_latin1(ctx, text, length);
    free(text);
    return result;
}

static JSValue to_ucs2(JSContext *ctx, const uint8_t *bytes, size_t length)
{
    uint16_t *units = malloc(length | 1);
    if (units == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    memcpy(units, bytes, length & ~(size_t)1);
    JSValue result = text_from_utf16(ctx, units, length / 2);
    free(units);
    return result;
}

/* bytes, encoding, start, end: their text. */
static FUNCTION(bytesToText)
{
    struct bytes bytes;
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    int64_t start = integer_of(ctx, argv[2]);
    int64_t end = JS_IsUndefined(argv[3]) ? (int64_t)bytes.length : integer_of(ctx, argv[3]);
    start = start < 0 ? 0 : start;
    end = end > (int64_t)bytes.length ? (int64_t)bytes.length : end;
    if (end <= start) {
        return text_from_latin1(ctx, "", 0);
    }
    const uint8_t *at = bytes.at + start;
    size_t length = (size_t)(end - start);
    switch ((enum encoding)integer_of(ctx, argv[1])) {
    case ASCII: return to_ascii(ctx, at, length);
    case LATIN1: return text_from_latin1(ctx, at, length);
    case UTF8: return text_from_utf8(ctx, at, length);
    case UCS2: return to_ucs2(ctx, at, length);
    case HEX: return to_hex(ctx, at, length);
    case BASE64: return to_base64(ctx, at, length, base64_digits, true);
    case BASE64URL: return to_base64(ctx, at, length, base64url_digits, false);
    }
    return JS_ThrowTypeError(ctx, "no such encoding");
}

/* Text to bytes. Each writes whole characters as long as they fit, and returns how many bytes. */

struct room {
    uint8_t *at;
    size_t size;
};

/* The code point at *at, which goes on behind it; a surrogate that is alone is U+FFFD. */
static uint32_t take_code_point(const struct text *text, size_t *at)
{
    uint32_t unit = text_unit(text, (*at)++);
    if ((unit & 0xf800) != 0xd800) {
        return unit;
    }
    if (unit < 0xdc00 && *at < text->length && (text_unit(text, *at) & 0xfc00) == 0xdc00) {
        return 0x10000 + ((unit & 0x3ff) << 10 | (text_unit(text, (*at)++) & 0x3ff));
    }
    return 0xfffd;
}

static size_t utf8_size(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* *taken: how many units of the text were written. */
static size_t write_utf8(const struct text *text, struct room room, size_t *taken)
{
    size_t count = 0, at = 0;
    while (at < text->length) {
        size_t next = at;
        uint32_t code = take_code_point(text, &next);
        size_t size = utf8_size(code);
        if (size > room.size - count) {
            break;
        }
        at = next;
        uint8_t *to = room.at + count;
        count += size;
        switch (size) {
        case 1: to[0] = (uint8_t)code; break;
        case 2:
            to[0] = (uint8_t)(0xc0 | code >> 6);
            to[1] = 0x80 | (code & 0x3f);
            break;
        case 3:
            to[0] = (uint8_t)(0xe0 | code >> 12);
            to[1] = 0x80 | (code >> 6 & 0x3f);
            to[2] = 0x80 | (code & 0x3f);
            break;
        default:
            to[0] = (uint8_t)(0xf0 | code >> 18);
            to[1] = 0x80 | (code >> 12 & 0x3f);
            to[2] = 0x80 | (code >> 6 & 0x3f);
            to[3] = 0x80 | (code & 0x3f);
        }
    }
    *taken = at;
    return count;
}

static size_t utf8_length(const struct text *text)
{
    size_t count = 0;
    for (size_t at = 0; at < text->length;) {
        count += utf8_size(take_code_point(text, &at));
    }
    return count;
}

static int hex_digit(uint32_t unit)
{
    return unit >= '0' && unit <= '9' ? (int)unit - '0' : (unit | 32) >= 'a' && (unit | 32) <= 'f' ? (int)(unit | 32) - 'a' + 10 : -1;
}

static size_t write_hex(const struct text *text, struct room room)
{
    size_t count = 0;
    for (size_t at = 0; at + 1 < text->length && count < room.size; at += 2) {
        int high = hex_digit(text_unit(text, at)), low = hex_digit(text_unit(text, at + 1));
        if (high < 0 || low < 0) {
            break;
        }
        room.at[count++] = (uint8_t)(high << 4 | low);
    }
    return count;
}

/* -1 for what is none, which is passed over. */
static int base64_value(uint32_t unit)
{
    return unit >= 'A' && unit <= 'Z'   ? (int)unit - 'A'
           : unit >= 'a' && unit <= 'z' ? (int)unit - 'a' + 26
           : unit >= '0' && unit <= '9' ? (int)unit - '0' + 52
           : unit == '+' || unit == '-' ? 62
           : unit == '/' || unit == '_' ? 63
                                        : -1;
}

static size_t write_base64(const struct text *text, struct room room)
{
    size_t count = 0;
    uint32_t group = 0;
    int bits = 0;
    for (size_t at = 0; at < text->length && count < room.size; at++) {
        uint32_t unit = text_unit(text, at);
        int value = base64_value(unit);
        if (unit == '=') {
            break;
        }
        if (value < 0) {
            continue;
        }
        group = group << 6 | (uint32_t)value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            room.at[count++] = (uint8_t)(group >> bits);
        }
    }
    return count;
}

static size_t write_text(const struct text *text, enum encoding encoding, struct room room, size_t *taken)
{
    size_t count = 0;
    *taken = text->length;
    switch (encoding) {
    case UTF8: return write_utf8(text, room, taken);
    case HEX: return write_hex(text, room);
    case BASE64:
    case BASE64URL: return write_base64(text, room);
    case UCS2:
        for (; count / 2 < text->length && room.size - count >= 2; count += 2) {
            uint32_t unit = text_unit(text, count / 2);
            room.at[count] = (uint8_t)unit;
            room.at[count + 1] = (uint8_t)(unit >> 8);
        }
        *taken = count / 2;
        return count;
    default:
        for (; count < text->length && count < room.size; count++) {
            room.at[count] = (uint8_t)text_unit(text, count);
        }
        *taken = count;
        return count;
    }
}

/* bytes, text, encoding, offset, length[, Uint32Array for units read and bytes written]: how many
   bytes were written. */
static FUNCTION(textToBytes)
{
    struct bytes bytes, report;
    struct text text;
    if (bytes_of(ctx, argv[0], &bytes) != 0 || text_open(ctx, argv[1], &text) != 0) {
        return JS_EXCEPTION;
    }
    int64_t offset = integer_of(ctx, argv[3]);
    offset = offset < 0 ? 0 : offset > (int64_t)bytes.length ? (int64_t)bytes.length : offset;
    int64_t size = (int64_t)bytes.length - offset;
    if (!JS_IsUndefined(argv[4])) {
        int64_t wanted = integer_of(ctx, argv[4]);
        size = wanted < 0 ? 0 : wanted < size ? wanted : size;
    }
    size_t taken;
    struct room room = {bytes.at + offset, (size_t)size};
    size_t count = write_text(&text, (enum encoding)integer_of(ctx, argv[2]), room, &taken);
    text_close(ctx, &text);
    if (argc > 5 && !JS_IsUndefined(argv[5]) && bytes_of(ctx, argv[5], &report) == 0 && report.length >= 8) {
        memcpy(report.at, (uint32_t[]){(uint32_t)taken, (uint32_t)count}, 8);
    }
    return JS_NewInt64(ctx, (int64_t)count);
}

/* text: the length of it in UTF-8. */
static FUNCTION(utf8Length)
{
    struct text text;
    if (text_open(ctx, argv[0], &text) != 0) {
        return JS_EXCEPTION;
    }
    size_t length = utf8_length(&text);
    text_close(ctx, &text);
    return JS_NewInt64(ctx, (int64_t)length);
}

/* Looking at bytes. */

static FUNCTION(isUtf8)
{
    struct bytes bytes;
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    for (size_t at = 0; at < bytes.length;) {
        if (decode_character(bytes.at, bytes.length, &at) == UINT32_MAX) {
            return JS_FALSE;
        }
    }
    return JS_TRUE;
}

static FUNCTION(isAscii)
{
    struct bytes bytes;
    return bytes_of(ctx, argv[0], &bytes) != 0 ? JS_EXCEPTION : JS_NewBool(ctx, ascii_prefix(bytes.at, bytes.length) == bytes.length);
}

/* -1, 0 or 1. */
static FUNCTION(compareBytes)
{
    struct bytes a, b;
    if (bytes_of(ctx, argv[0], &a) != 0 || bytes_of(ctx, argv[1], &b) != 0) {
        return JS_EXCEPTION;
    }
    int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    order = order != 0 ? order : a.length < b.length ? -1 : a.length > b.length;
    return JS_NewInt32(ctx, order < 0 ? -1 : order > 0);
}

/* haystack, needle, offset (negative: from the end), forward, step: where it is, or -1. Matches
   begin at multiples of the step. */
static FUNCTION(findBytes)
{
    struct bytes hay, needle;
    if (bytes_of(ctx, argv[0], &hay) != 0 || bytes_of(ctx, argv[1], &needle) != 0) {
        return JS_EXCEPTION;
    }
    int64_t at = integer_of(ctx, argv[2]), length = (int64_t)hay.length, last = length - (int64_t)needle.length;
    bool forward = JS_ToBool(ctx, argv[3]) != 0;
    int64_t step = integer_of(ctx, argv[4]) == 2 ? 2 : 1;
    at = at < 0 ? at + length : at;
    if (at < 0 && !forward) {
        return JS_NewInt32(ctx, -1);
    }
    at = at < 0 ? 0 : at;
    if (needle.length == 0) {
        return JS_NewInt64(ctx, at > length ? length : at);
    }
    if (!forward && at > last) {
        at = last;
    }
    for (; at >= 0 && at <= last; at += forward ? 1 : -1) {
        if (forward && step == 1) {
            uint8_t *found = memchr(hay.at + at, needle.at[0], (size_t)(last - at + 1));
            if (found == NULL) {
                break;
            }
            at = found - hay.at;
        }
        if (at % step == 0 && memcmp(hay.at + at, needle.at, needle.length) == 0) {
            return JS_NewInt64(ctx, at);
        }
    }
    return JS_NewInt32(ctx, -1);
}

const struct native bytes_natives[] = {
    NATIVE(bytesToText), NATIVE(textToBytes), NATIVE(utf8Length), NATIVE(isUtf8), NATIVE(isAscii),
    NATIVE(compareBytes), NATIVE(findBytes), {0},
};
