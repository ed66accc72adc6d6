/* Arguments and results of the C half. */
#include <errno.h>

#include "engine.h"

int bytes_of(JSContext *ctx, JSValueConst value, struct bytes *bytes)
{
    if (JS_GetTypedArrayType(value) >= 0 || JS_IsDataView(value)) {
        size_t offset = 0, length = 0, whole;
        JSValue buffer;
        if (JS_IsDataView(value)) {
            JSValue start = JS_GetPropertyStr(ctx, value, "byteOffset"), size = JS_GetPropertyStr(ctx, value, "byteLength");
            offset = (size_t)integer_of(ctx, start);
            length = (size_t)integer_of(ctx, size);
            buffer = JS_GetPropertyStr(ctx, value, "buffer");
        }
        else {
            buffer = JS_GetTypedArrayBuffer(ctx, value, &offset, &length, NULL);
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
    bytes->at = JS_GetArrayBuffer(ctx, &bytes->length, value);
    if (bytes->at == NULL && bytes->length != 0) {
        return -1;
    }
    return JS_HasException(ctx) ? -1 : 0;
}

int64_t integer_of(JSContext *ctx, JSValueConst value)
{
    int64_t number = 0;
    if (JS_IsBigInt(value)) {
        JS_ToBigInt64(ctx, &number, value);
    }
    else if (!JS_IsUndefined(value)) {
        JS_ToInt64(ctx, &number, value);
    }
    return number;
}

double number_of(JSContext *ctx, JSValueConst value)
{
    double number = 0;
    JS_ToFloat64(ctx, &number, value);
    return number;
}

JSValue failed(JSContext *ctx, int error)
{
    return JS_NewInt32(ctx, -error);
}

JSValue result_of(JSContext *ctx, int64_t result)
{
    return result < 0 ? failed(ctx, errno) : JS_NewInt64(ctx, result);
}
