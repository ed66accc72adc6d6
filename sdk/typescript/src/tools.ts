/** Ready-made tool definitions for agent frameworks, as plain objects, and what answers their calls. */

import { CodepodError } from "./errors.js";
import { LIST_BYTES, TOOLS, type ToolInfo } from "./generated/api.js";
import type { Sandbox } from "./sandbox.js";

/** Which tools, and under which names. */
export interface ToolOptions {
  /** Only these; all if not given. */
  only?: readonly string[] | undefined;
  /** What their names begin with, where they must not be taken for others: `sandbox_`. */
  prefix?: string | undefined;
}

/** A JSON Schema of an object. */
export interface InputSchema {
  [keyword: string]: unknown;
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required: string[];
}

/** A definition for Anthropic's messages. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: InputSchema;
}

/** A definition for OpenAI's chat completions. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: InputSchema };
}

/** A definition for OpenAI's responses. */
export interface OpenAiResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: InputSchema;
  strict: false;
}

/** A definition as MCP lists it. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: InputSchema;
}

/** A tool that answers its own calls, as the AI SDK takes it. */
export interface ExecutableTool {
  description: string;
  /** A `Schema` of the AI SDK; its type names symbols that only the AI SDK has. */
  inputSchema: any;
  execute(input: unknown): Promise<ToolResult>;
}

/** What a model is told. For `run` and `python`: `exit_code`, `stdout`, `stderr` and `execution_time_ms`. */
export type ToolResult = Record<string, unknown>;

/** Definitions in the forms that frameworks take. */
export const tools = {
  /** The tools that there are. */
  names(): string[] {
    return TOOLS.map((tool) => tool.name);
  },

  /** Definitions for Anthropic's messages. */
  anthropic(options?: ToolOptions): AnthropicTool[] {
    return chosen(options).map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  },

  /** Definitions for OpenAI's chat completions, and for frameworks that take the same. */
  openai(options?: ToolOptions): OpenAiTool[] {
    return chosen(options).map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    }));
  },

  /** Definitions for OpenAI's responses. */
  openaiResponses(options?: ToolOptions): OpenAiResponsesTool[] {
    return chosen(options).map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
      strict: false,
    }));
  },

  /** Definitions as MCP lists them. */
  mcp(options?: ToolOptions): McpTool[] {
    return chosen(options).map(({ name, description, schema }) => ({ name, description, inputSchema: schema }));
  },

  /** Tools by name that act in a sandbox by themselves: the `tools` of the AI SDK's `generateText`. */
  aiSdk(sandbox: Sandbox, options?: ToolOptions): Record<string, ExecutableTool> {
    const entries = chosen(options).map(({ name, own, description, schema }): [string, ExecutableTool] => [
      name,
      {
        description,
        // What its `jsonSchema()` makes, without a dependency on it.
        inputSchema: Object.assign(
          { jsonSchema: schema, validate: undefined },
          { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true },
        ),
        execute: (input) => callTool(sandbox, own, input),
      },
    ]);
    return Object.fromEntries(entries);
  },
};

/**
 * Does what a model asks for by a tool, and gives what to tell it.
 *
 * The input is an object, or JSON as the model wrote it. What goes wrong is told as `error`, `kind` and `hint`, so that a model
 * can do better; only a server that has gone is an error here. Long output is cut in the middle as the tool's description says,
 * with a line in its place: to 16 KiB, or the sandbox's `outputBudget`.
 */
export async function callTool(sandbox: Sandbox, name: string, input: unknown): Promise<ToolResult> {
  try {
    const tool = find(name);
    const { sandbox_id = sandbox.id, ...own } = checked(tool, input);
    const params = Object.entries(own).filter(([, value]) => value !== null && value !== undefined);
    const sent = Object.fromEntries(params.map(([key, value]) => [camelCase(key), value]));
    bound(tool, sent, sandbox.outputBudget);
    const result = await sandbox.client.transport.call(tool.method, { sandboxId: sandbox_id, ...sent });
    return told(tool, result);
  } catch (error) {
    if (!(error instanceof CodepodError) || ["server_gone", "closed", "binary_not_found"].includes(error.kind)) throw error;
    const { message, kind, hint, errno } = error;
    return { error: message, kind, hint, ...(errno === undefined ? {} : { errno }) };
  }
}

/** Bounds how much comes back; `budget` is the sandbox's own, which runs go by if a model does not say. */
function bound({ bounds }: ToolInfo, sent: Record<string, unknown>, budget: number | undefined): void {
  if (bounds === undefined) return;
  const key = camelCase(bounds.name);
  const usual = (bounds.name === "output_budget" ? budget : undefined) ?? bounds.usual;
  const asked = sent[key] ?? usual;
  // What is no number is for the server to refuse.
  sent[key] = typeof asked === "number" ? Math.min(asked, Math.max(usual, bounds.most)) : asked;
}

/** Makes a list or a difference fit for a model, and counts what is left out. */
function fitted(result: ToolResult): ToolResult {
  let left = LIST_BYTES;
  let entries = 0;
  let bytes = 0;
  const fit = (value: unknown): unknown => {
    if (typeof value === "string") {
      // Words of ours and short names stay whole.
      const kept = value.length <= 64 ? value.length : Math.min(value.length, left);
      left = Math.max(0, left - kept);
      if (kept === value.length) return value;
      bytes += value.length - kept;
      return `${value.slice(0, kept)}\n[${value.length - kept} characters are not shown]\n`;
    }
    if (Array.isArray(value)) {
      const kept: unknown[] = [];
      for (const entry of value) {
        if (left === 0) break;
        kept.push(fit(entry));
      }
      entries += value.length - kept.length;
      return kept;
    }
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fit(item)]));
    }
    left = Math.max(0, left - 8);
    return value;
  };
  const fitting = fit(result) as ToolResult;
  if (entries > 0) fitting["omitted_entries"] = entries;
  if (bytes > 0) fitting["omitted_bytes"] = bytes;
  return fitting;
}

function told(tool: ToolInfo, result: unknown): ToolResult {
  const all = snakeKeys(result) as ToolResult;
  if (tool.fields === undefined) {
    // A model sees nothing in base64; `files.readBytes` has the picture for the program around it.
    if (all["mime"] !== undefined) return { size: all["size"], mime: all["mime"], note: "a picture, which this tool does not show" };
    return tool.bounds === undefined ? fitted(all) : all;
  }
  const names = [...tool.fields.always, ...tool.fields.notes.filter((name) => all[name])];
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

function find(name: string): ToolInfo {
  const own = name.replace(/^sandbox_/, "");
  const tool = TOOLS.find((tool) => tool.name === own);
  if (tool !== undefined) return tool;
  throw new CodepodError("method_not_found", `there is no tool \`${name}\``, { hint: `there are ${tools.names().join(", ")}` });
}

function checked(tool: ToolInfo, input: unknown): Record<string, unknown> {
  const known = Object.keys((tool.inputSchema as InputSchema).properties);
  const hint = `it takes an object with ${known.join(", ")}`;
  let value = input;
  if (typeof input === "string") {
    try {
      value = JSON.parse(input);
    } catch {
      throw new CodepodError("invalid_params", `the input of \`${tool.name}\` is not JSON`, { hint });
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CodepodError("invalid_params", `the input of \`${tool.name}\` is not an object`, { hint });
  }
  const strange = Object.keys(value).find((key) => !known.includes(key));
  if (strange !== undefined) throw new CodepodError("invalid_params", `\`${tool.name}\` takes no \`${strange}\``, { hint });
  return value as Record<string, unknown>;
}

/** A tool under the name that it gets, and its own. */
interface Chosen {
  name: string;
  own: string;
  description: string;
  schema: InputSchema;
}

function chosen({ only, prefix = "" }: ToolOptions = {}): Chosen[] {
  only?.forEach(find);
  return TOOLS.filter(({ name }) => only === undefined || only.includes(name)).map((tool) => ({
    name: prefix + tool.name,
    own: tool.name,
    description: tool.description,
    schema: structuredClone(tool.inputSchema) as InputSchema,
  }));
}

/** `timeout_ms` as `timeoutMs`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value from JSON with names in snake_case. */
function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== "object" || value === null) return value;
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [snake(name), snakeKeys(item)]));
}
