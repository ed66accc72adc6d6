// Bindings of which Node's library needs little here, mostly to be told that something is not there.
'use strict';

const nothing = () => {};

host.define('trace_events', (trace) => {
  trace.available = false;
  trace.isTraceCategoryEnabled = () => false;
  trace.getCategoryEnabledBuffer = () => new Uint8Array(1);
  trace.getEnabledCategories = () => undefined;
  trace.setTraceCategoryStateUpdateHandler = nothing;
  trace.trace = nothing;
  trace.setLog = nothing;
});

host.define('worker', (worker) => {
  worker.isMainThread = true;
  worker.isInternalThread = false;
  worker.ownsProcessState = true;
  worker.threadId = 0;
  worker.threadName = 'main';
  worker.resourceLimits = new Float64Array(4);
  worker.getEnvMessagePort = () => undefined;
});

host.define('mksnapshot', (snapshot) => {
  snapshot.isBuildingSnapshotBuffer = new Uint8Array(1);
  snapshot.setSerializeCallback = nothing;
  snapshot.setDeserializeCallback = nothing;
  snapshot.setDeserializeMainFunction = nothing;
});

host.define('permission', (permission) => { permission.has = () => true; });

host.define('v8', (v8) => {
  v8.heapStatisticsBuffer = new Float64Array(14);
  v8.heapCodeStatisticsBuffer = new Float64Array(5);
  v8.heapSpaceStatisticsBuffer = new Float64Array(5);
  v8.setHeapSnapshotNearHeapLimit = nothing;
  v8.updateHeapStatisticsBuffer = () => {
    const size = native.heapSize();
    v8.heapStatisticsBuffer.set([size, 0, size, 2 ** 32 - size, size, 2 ** 32, size]);
  };
  v8.cachedDataVersionTag = () => 0;
});

host.define('sea', (sea) => {
  sea.isSea = () => false;
  sea.isExperimentalSeaWarningNeeded = () => false;
});

host.define('signal_wrap', (signals) => {
  signals.Signal = class Signal extends host.Handle {
    #number = 0;
    start(number) {
      const failed = host.loop.onSignal(number, () => this.onsignal(number));
      if (failed < 0) return failed;
      this.#number = number;
      if (this.isReferenced) host.loop.keepForSignals(1);
      return 0;
    }
    stop() {
      if (this.#number === 0) return 0;
      host.loop.onSignal(this.#number, undefined);
      if (this.isReferenced) host.loop.keepForSignals(-1);
      this.#number = 0;
      return 0;
    }
    ref() {
      if (!this.isReferenced && this.#number !== 0) host.loop.keepForSignals(1);
      this.isReferenced = true;
    }
    unref() {
      if (this.isReferenced && this.#number !== 0) host.loop.keepForSignals(-1);
      this.isReferenced = false;
    }
    release() { this.stop(); }
  };
});

host.define('diagnostics_channel', (channels) => {
  channels.subscribers = new Uint32Array(64);
  channels.getOrCreateChannelIndex = () => 0;
  channels.linkNativeChannel = nothing;
});

host.define('inspector', (inspector) => {
  inspector.isEnabled = () => false;
  inspector.setConsoleExtensionInstaller = nothing;
  inspector.consoleCall = (inspected, call, ...values) => call(...values);
  inspector.console = {};
});

host.define('icu', (icu) => { icu.hasConverter = () => false; });
host.define('wasm_web_api', (api) => { api.setImplementation = nothing; });
host.define('heap_utils', nothing);
host.define('internal_only_v8', (v8) => { v8.queryObjects = () => []; });
// Node's module gives its callbacks when it is loaded, which packages do; sessions are refused.
host.define('http2', (http2) => { http2.setCallbackFunctions = nothing; });
