// What `serialization: 'advanced'` writes to the channel of child_process.fork: V8's format with its
// length before it. Objects of Node's own become plain ones, as in Node.
'use strict';

const VIEW = 0, OTHER = 1;
let classes;

function load() {
  const { DefaultSerializer, DefaultDeserializer } = host.requireBuiltin('v8');
  class Serializer extends DefaultSerializer {
    _writeHostObject(object) {
      if (ArrayBuffer.isView(object)) {
        this.writeUint32(VIEW);
        return super._writeHostObject(object);
      }
      this.writeUint32(OTHER);
      this.writeValue({ ...object });
    }
  }
  class Deserializer extends DefaultDeserializer {
    _readHostObject() {
      return this.readUint32() === VIEW ? super._readHostObject() : this.readValue();
    }
  }
  return { Serializer, Deserializer };
}

host.define('ipc_serdes', (serdes) => {
  serdes.serialize = (message) => {
    classes ??= load();
    const serializer = new classes.Serializer();
    serializer.writeHeader();
    serializer.writeValue(message);
    const body = serializer.releaseBuffer();
    const whole = new Uint8Array(4 + body.length);
    new DataView(whole.buffer).setUint32(0, body.length);
    whole.set(body, 4);
    return host.toBuffer(whole);
  };
  serdes.deserialize = (bytes) => {
    classes ??= load();
    const deserializer = new classes.Deserializer(bytes);
    deserializer.readHeader();
    return deserializer.readValue();
  };
});
