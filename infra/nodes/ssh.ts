/**
 * Runs commands on machines of an inventory: through the system's `ssh`, with its keys and known hosts, or locally.
 * Arguments are quoted for the one shell that reads them on the machine; secrets go through standard input.
 */
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { InventoryHost } from './inventory.ts';

const CONNECT_SECONDS = 10;
/** Exit code by which ssh reports that it could not connect. */
const SSH_FAILED = 255;
const OUTPUT_CHARS_MAX = 1_000_000;

export interface RemoteResult {
  /** Null if a signal or a timeout ended it. */
  readonly exitCode: number | null;
  /** Standard output and standard error in order of arrival; only the end if they are long. */
  readonly output: string;
  readonly seconds: number;
  readonly timedOut: boolean;
  /** Whether ssh could not reach the machine, or was refused. */
  readonly isUnreachable: boolean;
}

export interface RemoteOptions {
  readonly timeoutMs: number;
  /** Text or stream that the command reads. */
  readonly input?: Readable | string;
}

const isHere = ({ address }: InventoryHost): boolean => address === 'localhost' || address === '127.0.0.1';

/**
 * Runs a program with its arguments. Returns how it ended, successfully or not. Never throws for failures on the
 * machine.
 */
export function onHost(host: InventoryHost, command: readonly string[], options: RemoteOptions): Promise<RemoteResult> {
  // `exec` replaces the shell, so ending it at the timeout ends the program itself.
  return shellOnHost(host, `exec ${command.map(quoted).join(' ')}`, options);
}

/** Runs a line of POSIX shell like `onHost`; the caller has quoted what needs it. */
export async function shellOnHost(host: InventoryHost, line: string, options: RemoteOptions): Promise<RemoteResult> {
  const here = isHere(host);
  const [file, args] = here ? ['/bin/sh', ['-c', line]] : ['ssh', [...sshOptions(host), line]];
  const { input } = options;
  const running = execa(file!, args as string[], {
    reject: false,
    all: true,
    // The library would end a command that writes more than its buffer.
    buffer: false,
    timeout: options.timeoutMs,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  let output = '';
  running.all.setEncoding('utf8').on('data', (part: string) => {
    output += part;
    if (output.length > 2 * OUTPUT_CHARS_MAX) output = output.slice(-OUTPUT_CHARS_MAX);
  });
  const result = await running;
  const neverRan = result.exitCode === undefined && output === '' && !result.timedOut;
  return {
    exitCode: result.exitCode ?? null,
    output: neverRan ? (result.shortMessage ?? '') : output.slice(-OUTPUT_CHARS_MAX).replace(/\n$/, ''),
    seconds: result.durationMs / 1_000,
    timedOut: result.timedOut,
    isUnreachable: !here && (result.exitCode === SSH_FAILED || (result.exitCode === undefined && !result.timedOut)),
  };
}

/** Options by which ssh never asks for a password and refuses unknown keys as usual. */
function sshOptions({ address, user, port }: InventoryHost): string[] {
  return [
    '-o',
    'BatchMode=yes',
    '-o',
    `ConnectTimeout=${CONNECT_SECONDS}`,
    ...(port === null ? [] : ['-p', String(port)]),
    '--',
    user === null ? address : `${user}@${address}`,
  ];
}

/** Quotes a text for a person who pastes it into a shell, if it needs quotes. */
export const shellWord = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));

/** Quotes any text as one word of the shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
