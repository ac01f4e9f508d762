/**
 * Finds the unproved parts of a checked snippet: positions and, if the driver can ask, goals. Printing a goal may run
 * code that the snippet defines, so it has limits like a check. A process that does not answer in time is ended.
 */
import type { LeanSession } from '../runtime/process/driver.ts';
import type { SnippetRoom } from './answer-room.ts';
import type { HidePaths } from './private-paths.ts';
import { sorriesOf } from './sorries.ts';
import type { SplitSnippet } from './split-snippet.ts';
import type { WireMessage, WireSorry } from './wire.ts';

/** Maximum number of goals requested for one snippet, and the time for all of them. */
const GOALS_MAX = 64;
const GOALS_MS_MAX = 5_000;
const GOAL_CHARS_MAX = 65_536;
const STOPPED = Symbol('stopped');

interface Goals {
  readonly room: SnippetRoom;
  readonly hidePaths: HidePaths;
  readonly signal: AbortSignal;
}

/** Omits goals that exceed the answer's limits. Rejects with the signal's reason, after ending the session. */
export async function findSorries(
  session: LeanSession,
  code: string,
  split: SplitSnippet,
  messages: readonly WireMessage[],
  { room, hidePaths, signal }: Goals,
): Promise<WireSorry[]> {
  const tokens = split.allTokens.filter((token) => token.kind !== 'comment');
  const sorries = sorriesOf(code, tokens, messages);
  if (session.goalsAt === undefined || sorries.length === 0) return sorries;
  const stopped = Promise.withResolvers<typeof STOPPED>();
  const stop = (): void => stopped.resolve(STOPPED);
  const timer = setTimeout(stop, GOALS_MS_MAX);
  signal.addEventListener('abort', stop);
  try {
    for (const [index, sorry] of sorries.slice(0, GOALS_MAX).entries()) {
      const { line, column } = sorry.pos;
      // Goals are only for people to read, so a position without one is still listed.
      const asked = session.goalsAt({ line: split.reportedLineOf(line), column }).catch(() => null);
      const goal = await Promise.race([asked, stopped.promise]);
      if (goal === STOPPED) {
        await session.close();
        break;
      }
      const shown = hidePaths((goal ?? '').slice(0, GOAL_CHARS_MAX));
      if (!room.take(shown.length)) break;
      sorries[index] = { ...sorry, goal: shown };
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return sorries;
}
