/**
 * A process of the community REPL: commands in, replies out, one at a time. A reply that nobody asked for means that
 * something else writes to the process's output, so nothing it says can be believed: it is ended.
 */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { type LeanExit, type LeanProcess, type ProcessPlace, startLean } from '../spawn.ts';
import { type ReplReply, readReplies } from './replies.ts';

export interface ReplCommand {
  readonly cmd: string;
  /** Of an earlier reply; none: the command begins with the imports. */
  readonly env?: number;
  /** Keep nothing of the environment after it: forks of the REPL know this, others pass it by. */
  readonly gc?: boolean;
}

export interface ReplProcess {
  readonly process: LeanProcess;
  /** Null where the process ended before it replied, or is ended because its reply cannot be read. */
  ask(command: ReplCommand): Promise<ReplReply | null>;
  /**
   * True where the next reply is the answer to a question that could not be foreseen: what came before was a reply to what
   * was asked before, and not one that a candidate's text wrote in its place.
   */
  isInStep(env: number): Promise<boolean>;
}

/** `program`: absolute path of the REPL, built for this Lean. */
export function startRepl(place: ProcessPlace, program: string, memoryBytesMax: number): ReplProcess | LeanExit {
  const process = startLean({
    ...place,
    program,
    arguments: [],
    // It would run `lean` to learn where its library is.
    variables: { LEAN_SYSROOT: dirname(dirname(place.environment.executable)) },
    memoryBytesMax,
  });
  return 'pid' in process ? speakTo(process) : process;
}

function speakTo(process: LeanProcess): ReplProcess {
  let answer: ((reply: ReplReply | null) => void) | null = null;
  const read = readReplies((reply) => {
    if (reply === null || answer === null) return process.end('crashed', 'it wrote what is no reply');
    answer(reply);
    answer = null;
  });
  process.stdout.on('data', read);
  let gone = false;
  // Told once: a race of every reply with the end would hold on to all of them until then.
  void process.ended.then(() => {
    gone = true;
    answer?.(null);
  });

  async function ask(command: ReplCommand): Promise<ReplReply | null> {
    if (gone) return null;
    const { promise: replied, resolve } = Promise.withResolvers<ReplReply | null>();
    answer = resolve;
    // JSON has no line break in it, so the first empty line ends the command.
    process.stdin.write(`${JSON.stringify(command)}\n\n`);
    return replied;
  }

  return {
    process,
    ask,
    async isInStep(env) {
      const token = randomBytes(8).toString('hex');
      const reply = await ask({ cmd: `#print "${token}"`, env, gc: true });
      return reply !== null && 'env' in reply && reply.messages.length === 1 && reply.messages[0]!.data === token;
    },
  };
}
