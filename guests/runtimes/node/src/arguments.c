/* Arguments and results of the C half. */
#include <errno.h>

#include "engine.h"

int bytes_of(JSContext *ctx, JSValueConst value, struct bytes *bytes)
{
    size_t offset = 0, length = 0, whole;
    JSValue buffer;
    if (JS_IsDataView(value)) {
        buffer = data_view_of(ctx, value, &offset, &length);
    }
    else if (JS_GetTypedArrayType(value) >= 0) {
        buffer = JS_GetTypedArrayBuffer(ctx, value, &offset, &length, NULL);
    }
    else {
        bytes->at = JS_GetArrayBuffer(ctx, &bytes->length, value);
        if (bytes->at == NULL && bytes->length != 0) {
            return -1;
        }
        return JS_HasException(ctx) ? -1 : 0;
    }
    if (JS_IsException(buffer)) {
        return -1;
    }
    uint8_t *at = JS_GetArrayBuffer(ctx, &whole, buffer);
    JS_FreeValue(ctx, buffer);
    if (at == NULL || offset > whole || length > whole - offset) {
        /* Empty, or detached: nothing to read or write. */
        JS_FreeValue(ctx, JS_GetException(ctx));
        static uint8_t nothing;
        *bytes = (struct bytes){&nothing, 0};
        return 0;
    }
    *bytes = (struct bytes){at + offset, length};
    return 0;
}

/* Whether a value can become a number without running a program. */
static bool is_plain(JSValueConst value)
{
    return !JS_IsUndefined(value) && !JS_IsObject(value) && !JS_IsSymbol(value);
}

int64_t integer_of(JSContext *ctx, JSValueConst value)
{
    int64_t number = 0;
    if (JS_IsBigInt(value)) {
        JS_ToBigInt64(ctx, &number, value);
    }
    else if (is_plain(value)) {
        JS_ToInt64(ctx, &number, value);
    }
    return number;
}

double number_of(JSContext *ctx, JSValueConst value)
{
    double number = 0;
    if (is_plain(value) && !JS_IsBigInt(value)) {
        JS_ToFloat64(ctx, &number, value);
    }
    return number;
}

/* Whether a length of bytes has these of them. */
static bool has_range(int64_t length, int64_t offset, int64_t count)
{
    return offset >= 0 && count >= 0 && offset <= length && count <= length - offset;
}

int step_of(JSContext *ctx, JSValueConst input, JSValueConst ranges, JSValueConst output, struct step *step)
{
    struct bytes in = {0}, out;
    int64_t numbers[4];
    if ((!JS_IsNull(input) && !JS_IsUndefined(input) && bytes_of(ctx, input, &in) != 0) || bytes_of(ctx, output, &out) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < 4; i++) {
        JSValue number = entry_of(ctx, ranges, i);
        numbers[i] = integer_of(ctx, number);
        JS_FreeValue(ctx, number);
    }
    if (!has_range((int64_t)in.length, numbers[0], numbers[1]) || !has_range((int64_t)out.length, numbers[2], numbers[3])) {
        JS_ThrowRangeError(ctx, "Index out of range");
        return -1;
    }
    step->in = (struct bytes){in.length > 0 ? in.at + numbers[0] : in.at, (size_t)numbers[1]};
    step->out = (struct bytes){out.length > 0 ? out.at + numbers[2] : out.at, (size_t)numbers[3]};
    return 0;
}

void put_entry(JSContext *ctx, JSValueConst list, uint32_t index, JSValue value)
{
    JS_DefinePropertyValueUint32(ctx, list, index, value, JS_PROP_C_W_E);
}

JSValue failed(JSContext *ctx, int error)
{
    return JS_NewInt32(ctx, -error);
}

JSValue result_of(JSContext *ctx, int64_t result)
{
    return result < 0 ? failed(ctx, errno) : JS_NewInt64(ctx, result);
}
