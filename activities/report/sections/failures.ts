/** Lists failed or skipped rounds, samples without a verdict, and proofs that a second check refused. */
import type { RunFigures } from '../figures.ts';
import { note, section, table } from '../html.ts';

/** Most characters of a message that are shown. */
const MESSAGE_CHARS_MAX = 400;

export function failures(run: RunFigures): string {
  const decided = { retry: 'tried again', skip: 'given up', abort: 'run ended' };
  const failed = run.failures.map(({ round, message, decision }) => [
    round === 0 ? 'baseline' : String(round),
    decided[decision],
    message.length > MESSAGE_CHARS_MAX ? `${message.slice(0, MESSAGE_CHARS_MAX)} …` : message,
  ]);
  const lost = run.rounds
    .filter(({ counts }) => (counts.verdicts.infra ?? 0) > 0)
    .map(({ round, counts }) => [
      round === 0 ? 'baseline' : String(round),
      counts.verdicts.infra ?? 0,
      counts.certified,
    ]);
  const named = new Set(run.failures.filter(({ decision }) => decision === 'skip').map(({ round }) => round));
  const unnamed = run.skipped.filter((round) => !named.has(round));
  return section(
    'failures',
    'Failures',
    failed.length === 0
      ? note('No round failed.')
      : table(['Round', 'Then', 'What happened'], failed, 'Rounds that failed, each time they did'),
    unnamed.length === 0 ? '' : note(`Given up: ${unnamed.join(', ')}.`),
    lost.length === 0
      ? note('Every sample has a verdict.')
      : table(
          ['Round', 'Samples without a verdict', 'Proofs certified'],
          lost,
          'Samples without a verdict count in no pass rate',
        ),
  );
}
