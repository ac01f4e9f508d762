/**
 * Text functions for AXLE's API: default imports, environment names, and the declarations at the positions of messages.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { maskSource, readCommands } from '@stp/lean-text';
import { splitImports } from '../../trust/header.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import type { WireMessage, WirePosition } from '../wire.ts';
import type { AxleMessages } from './axle-wire.ts';

/** AXLE's texts assume Mathlib. Without Mathlib they are read below Lean's core library. */
export function defaultImports({ searchPath }: LeanEnvironment): string {
  return searchPath.some((folder) => existsSync(join(folder, 'Mathlib.olean'))) ? 'import Mathlib' : 'import Init';
}

/** For example `lean-4.35.0` for `Lean 4.35.0, assembled (library 4.28)`. */
export function environmentName({ version }: LeanEnvironment): string {
  return `lean-${/\d+\.\d+\.\d+(?:-rc\d+)?/u.exec(version)?.[0] ?? version}`;
}

/** Replaces the imports of a text. */
export const withImports = (text: string, imports: string): string => `${imports}\n\n${splitImports(text).rest}\n`;

export const noMessages = (): AxleMessages => ({ errors: [], warnings: [], infos: [] });

const KIND = { error: 'errors', warning: 'warnings', info: 'infos', information: 'infos' } as const;
const WORD = { error: 'error', warning: 'warning', info: 'info', information: 'info' } as const;

export function wireMessages(messages: readonly WireMessage[]): AxleMessages {
  const sorted = noMessages();
  for (const { severity, pos, endPos, data } of messages) {
    const end = endPos ? `-${endPos.line}:${endPos.column}` : '';
    sorted[KIND[severity]].push(`-:${pos.line}:${pos.column}${end}: ${WORD[severity]}: ${data}\n`);
  }
  return sorted;
}

export function leanMessages(messages: readonly LeanMessage[], hide: (text: string) => string): AxleMessages {
  const sorted = noMessages();
  for (const { severity, line, column, text } of messages)
    sorted[KIND[severity]].push(`-:${line}:${column}: ${WORD[severity]}: ${hide(text)}\n`);
  return sorted;
}

/** Matches a declaration's keyword and name, starting at the keyword. */
const DECLARATION =
  /^(theorem|lemma|def|abbrev|instance|structure|class|inductive|opaque|axiom|example)(?:\s+((?:«[^»\n]*»|[^\s:({[⦃«»])+))?/u;

export interface WrittenDeclaration {
  readonly keyword: string;
  /** As the file writes it, without the namespaces around it; the keyword for a declaration without a name. */
  readonly name: string;
}

/** Returns the declarations at these positions; one that holds several positions comes several times. */
export function declarationsAt(text: string, positions: readonly WirePosition[]): WrittenDeclaration[] {
  const masked = maskSource(text);
  const commands = readCommands(masked);
  const lines = text.split('\n');
  const offsets = [0];
  for (const line of lines) offsets.push(offsets.at(-1)! + line.length + 1);
  return positions.flatMap((pos) => {
    const line = lines[pos.line - 1] ?? '';
    const at = (offsets[pos.line - 1] ?? text.length) + [...line].slice(0, pos.column).join('').length;
    const own = commands.findLast(({ begin }) => begin <= at);
    const declared = own && DECLARATION.exec(masked.withoutComments.slice(own.start));
    return declared ? [{ keyword: declared[1]!, name: declared[2] ?? declared[1]! }] : [];
  });
}
