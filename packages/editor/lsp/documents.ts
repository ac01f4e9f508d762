/** The editor's open documents and Lean's diagnostics for them, as seen in their messages. */
import type { Position } from './edit-target.ts';

/** An unchecked message. Fields are tested where they are read, and Lean validates the rest. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol's messages are not ours to check
export type Json = any;

interface Change {
  readonly range?: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

export interface Diagnostic {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly severity?: number;
  readonly message: string;
}

export interface Document {
  text: string;
  version: number;
  diagnostics: readonly Diagnostic[];
}

export class Documents {
  readonly #open = new Map<string, Document>();

  get(uri: string): Document | null {
    return this.#open.get(uri) ?? null;
  }

  /** Processes a message of the editor. Malformed messages are left to Lean. */
  hear(method: string, params: Json): void {
    const uri = params?.textDocument?.uri;
    if (typeof uri !== 'string') return;
    if (method === 'textDocument/didOpen')
      this.#open.set(uri, {
        text: String(params.textDocument.text),
        version: params.textDocument.version,
        diagnostics: [],
      });
    if (method === 'textDocument/didClose') this.#open.delete(uri);
    const document = this.#open.get(uri);
    if (method !== 'textDocument/didChange' || document === undefined || !Array.isArray(params.contentChanges)) return;
    document.text = params.contentChanges.reduce(applied, document.text);
    document.version = params.textDocument.version;
  }

  hearDiagnostics(params: Json): void {
    const document = this.#open.get(params?.uri);
    if (document === undefined || !Array.isArray(params.diagnostics)) return;
    document.diagnostics =
      params.isIncremental === true ? [...document.diagnostics, ...params.diagnostics] : params.diagnostics;
  }
}

/**
 * Returns the errors on a line. Lean reports remaining goals as an error on the line at which their block begins; these
 * are omitted.
 */
export function errorsOf({ diagnostics }: Document, line: number): readonly Diagnostic[] {
  return diagnostics.filter(
    ({ severity, range, message }) =>
      severity === 1 && range.start.line <= line && line <= range.end.line && !message.startsWith('unsolved goals'),
  );
}

function applied(text: string, { range, text: inserted }: Change): string {
  if (range === undefined) return inserted;
  return text.slice(0, offsetOf(text, range.start)) + inserted + text.slice(offsetOf(text, range.end));
}

function offsetOf(text: string, { line, character }: Position): number {
  let offset = 0;
  for (let left = line; left > 0; left--) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  const end = text.indexOf('\n', offset);
  return Math.min(offset + character, end < 0 ? text.length : end);
}
