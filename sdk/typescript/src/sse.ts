/** Server-Sent Events, as far as codepod's server sends them. */

/** An event. */
export interface ServerEvent {
  /** Its name; `message` if it has none. */
  name: string;
  /** What it says. */
  data: string;
}

/** Reads the events of a body. What comes after the last empty line is left out, as the standard says. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let name = "message";
  let data: string[] = [];
  for await (const bytes of body) {
    const lines = decoder.decode(bytes, { stream: true }).split("\n");
    const last = lines.pop() ?? "";
    for (const piece of lines) {
      const line = (rest.length === 0 ? piece : [...rest, piece].join("")).replace(/\r$/, "");
      rest = [];
      if (line === "") {
        if (data.length > 0) yield { name, data: data.join("\n") };
        name = "message";
        data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
    }
    if (last !== "") rest.push(last);
  }
}
