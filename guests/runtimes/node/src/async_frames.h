/* Frames of functions that wait for what is running, as V8 adds them to a stack: `at async name (…)`. Part of engine.c.
 *
 * An async function that goes on behind an `await` was called by nobody who is still there. Who waits for its promise is found
 * from that promise: by its only reaction, which is another async function, a promise that follows, or a place of Promise.all.
 */

static JSPromiseData *promise_data(JSValueConst promise)
{
    return JS_VALUE_GET_TAG(promise) == JS_TAG_OBJECT ? JS_GetOpaque(promise, JS_CLASS_PROMISE) : NULL;
}

/* The promise that a pair of resolving functions is about. */
static JSValueConst promise_of_resolver(JSValueConst resolver)
{
    JSObject *object = JS_VALUE_GET_TAG(resolver) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(resolver) : NULL;
    if (object == NULL || object->class_id != JS_CLASS_PROMISE_RESOLVE_FUNCTION || object->u.promise_function_data == NULL) {
        return JS_UNDEFINED;
    }
    return object->u.promise_function_data->promise;
}

/* Frames of functions in C do not say whether they are a coroutine's. */
static bool is_of_async_function(const JSStackFrame *frame)
{
    JSObject *function = JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(frame->cur_func) : NULL;
    return function != NULL && function->class_id == JS_CLASS_ASYNC_FUNCTION && frame->cur_gc_obj != NULL;
}

/* The promise that what runs will settle: that which follows a reaction, or that of the outermost async function. */
static JSValueConst promise_that_runs(JSStackFrame *frame)
{
    JSValueConst promise = promise_of_resolver(node_following);
    if (!JS_IsUndefined(promise)) {
        return promise;
    }
    for (; frame != NULL; frame = frame->prev_frame) {
        if (is_of_async_function(frame)) {
            promise = promise_of_resolver(((JSAsyncFunctionData *)frame->cur_gc_obj)->resolving_funcs[0]);
        }
    }
    return promise;
}

static void note_promise_all(JSContext *ctx, JSCallSiteData *site, JSValueConst index)
{
    *site = (JSCallSiteData){.filename = JS_NULL, .func = JS_UNDEFINED, .func_name = JS_NewString(ctx, "Promise.all"), .native = true, .is_async = true,
                             .promise_index = JS_VALUE_GET_TAG(index) == JS_TAG_INT ? JS_VALUE_GET_INT(index) : 0, .line_num = -1, .col_num = -1};
    if (JS_IsException(site->func_name)) {
        site->func_name = JS_NULL;
        JS_FreeValue(ctx, JS_GetException(ctx));
    }
}

/* Adds who waits for a promise to `sites`, which has `count` of at most `most`; the new count. */
static int add_who_waits(JSContext *ctx, JSCallSiteData *sites, int count, int most, JSValueConst promise)
{
    /* A chain may have no end that is a frame: steps are counted, too. */
    for (int steps = 0; count < most && steps < 1000; steps++) {
        JSPromiseData *data = promise_data(promise);
        struct list_head *reactions = data != NULL && data->promise_state == JS_PROMISE_PENDING ? &data->promise_reactions[0] : NULL;
        if (reactions == NULL || list_empty(reactions) || reactions->next->next != reactions) {
            break;
        }
        JSPromiseReactionData *reaction = list_entry(reactions->next, JSPromiseReactionData, link);
        JSObject *handler = JS_VALUE_GET_TAG(reaction->handler) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(reaction->handler) : NULL;
        if (handler != NULL && handler->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE) {
            JSAsyncFunctionData *waiting = handler->u.async_function_data;
            if (waiting == NULL || !waiting->is_active || JS_VALUE_GET_TAG(waiting->func_state.frame.cur_func) != JS_TAG_OBJECT) {
                break;
            }
            js_new_callsite_data(ctx, &sites[count], &waiting->func_state.frame);
            sites[count++].is_async = true;
            promise = promise_of_resolver(waiting->resolving_funcs[0]);
        }
        else if (handler != NULL && handler->class_id == JS_CLASS_C_FUNCTION_DATA &&
                 handler->u.c_function_data_record->func == js_promise_all_resolve_element) {
            JSValueConst *kept = vc(handler->u.c_function_data_record->data);
            note_promise_all(ctx, &sites[count++], kept[1]);
            promise = promise_of_resolver(kept[3]);
        }
        else if (handler != NULL && handler->class_id == JS_CLASS_PROMISE_RESOLVE_FUNCTION) {
            promise = promise_of_resolver(reaction->handler);
        }
        else {
            promise = promise_of_resolver(reaction->resolving_funcs[0]);
        }
    }
    return count;
}

static int node_async_frames(JSContext *ctx, JSCallSiteData *sites, int count, int most, JSStackFrame *frame)
{
    return add_who_waits(ctx, sites, count, most, promise_that_runs(frame));
}

/* promise: call sites of who waits for it. */
static FUNCTION(asyncFrames)
{
    enum { MOST = 10 };
    JSCallSiteData sites[MOST];
    int count = add_who_waits(ctx, sites, 0, MOST, argv[0]);
    JSValue list = JS_NewArray(ctx);
    for (int i = 0; i < count; i++) {
        JSValue site = JS_IsException(list) ? JS_EXCEPTION : js_new_callsite(ctx, &sites[i]);
        if (JS_IsException(site) || JS_DefinePropertyValueUint32(ctx, list, (uint32_t)i, site, JS_PROP_C_W_E) < 0) {
            JS_FreeValue(ctx, list);
            list = JS_EXCEPTION;
        }
        /* What has become a call site's is no longer here. */
        JS_FreeValue(ctx, sites[i].filename);
        JS_FreeValue(ctx, sites[i].func);
        JS_FreeValue(ctx, sites[i].func_name);
    }
    return list;
}
