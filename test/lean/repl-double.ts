/**
 * Speaks the wire protocol of the community REPL and lets real Lean elaborate: an environment is the text that led to it,
 * and a command is read by `lean --json` below that text. So it is slow, and says what Lean says. A command with a line
 * `-- double writes: TEXT` has TEXT written before its reply, as a candidate that runs code could; `-- double hangs` waits.
 * A file that is named as argument is written before the reply to every command that holds a theorem.
 *
 * LEAN_SYSROOT names the toolchain, as for the real one.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Command {
  readonly cmd: string;
  readonly env?: number;
}
interface Line {
  readonly severity: string;
  readonly pos: { readonly line: number; readonly column: number };
  readonly endPos: { readonly line: number; readonly column: number } | null;
  readonly data: string;
}

const lean = join(process.env.LEAN_SYSROOT ?? '', 'bin', 'lean');
const texts: string[] = [];
const forged = process.argv[2] === undefined ? '' : readFileSync(process.argv[2], 'utf8');

/** Lines are trimmed at their right and joined without a break; an empty one ends the command. */
let pending = '';
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== '') {
    if (!line.startsWith('#') && !line.startsWith('--')) pending += line.trimEnd();
    continue;
  }
  if (pending === '') continue;
  const reply = await answer(JSON.parse(pending) as Command);
  pending = '';
  // Written over several lines, as the real one does.
  process.stdout.write(`${JSON.stringify(reply, null, 1)}\n\n`);
}

async function answer({ cmd, env }: Command): Promise<object> {
  if (forged !== '' && /^theorem /m.test(cmd)) process.stdout.write(forged);
  for (const [, written] of cmd.matchAll(/^-- double writes: (.*)$/gm)) process.stdout.write(`${written}\n\n`);
  if (/^-- double hangs$/m.test(cmd)) await new Promise(() => setInterval(() => {}, 1_000));
  const above = env === undefined ? [] : texts[env]?.split('\n');
  if (above === undefined) return { message: 'Unknown environment.' };
  texts.push([...above, cmd].join('\n'));
  const own = texts.length - 1;
  // The driver asks this after every run; starting a Lean for it would take longer than the tests around it.
  const printed = /^#print "(\w+)"$/.exec(cmd)?.[1];
  const place = { pos: { line: 1, column: 0 }, endPos: { line: 1, column: 6 } };
  if (printed !== undefined) return { messages: [{ severity: 'info', ...place, data: printed }], env: own };
  const messages = await elaborate(texts[own]!);
  const said = messages
    .filter(({ pos }) => pos.line > above.length)
    .map(({ severity, pos, endPos, data }) => ({
      severity: severity === 'information' ? 'info' : severity,
      pos: { ...pos, line: pos.line - above.length },
      endPos: endPos === null ? null : { ...endPos, line: endPos.line - above.length },
      data,
    }));
  return { ...(said.length > 0 ? { messages: said } : {}), env: own };
}

function elaborate(text: string): Promise<Line[]> {
  return new Promise((resolve) => {
    const child = spawn(lean, ['--json', '--stdin', '-DmaxErrors=1000000', '-DElab.async=false'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      output += chunk;
    });
    child.stdin.end(text);
    child.on('close', (code) => {
      if (code !== 0 && code !== 1) process.exit(code ?? 134); // The real one is the process that has crashed.
      resolve(
        output
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as Line),
      );
    });
  });
}
