/**
 * Ranks the proofs of one problem against each other. A proof's points are the mean over all ranked chunks that
 * contained it.
 */
import type { JudgeFailure, Judging } from '@stp/config/records';
import { randomStream } from '@stp/selfplay';
import type { Asker } from './ask/asker.ts';
import type { Problem } from './questions/question.ts';
import { rankQuestion } from './questions/rank-question.ts';
import { chunksOf, mean, pointsOf } from './ranking.ts';
import { readRubric } from './rubric.ts';

export interface Ranked {
  /** Points of each proof; null if no chunk with it was ranked. */
  readonly points: readonly (number | null)[];
  readonly failures: readonly JudgeFailure[];
}

/**
 * Assigns the rounds to the judges in rotation. Proofs without text get the points of the last rank and are not shown.
 *
 * @param stream names the shuffles
 */
export async function rankProofs(
  asker: Asker,
  { ranking }: Judging,
  problem: Problem,
  proofs: readonly string[],
  stream: readonly (string | number)[],
  signal: AbortSignal,
): Promise<Ranked> {
  const rubric = readRubric(problem.rubric ?? undefined, problem.scale);
  if (typeof rubric === 'string')
    return { points: proofs.map(() => null), failures: [{ kind: 'rubric', detail: rubric, raw: problem.rubric }] };
  const shown = proofs.flatMap((proof, at) => (proof.trim() === '' ? [] : [at]));
  const random = randomStream(...stream, 'ranking', problem.id);
  const rounds = chunksOf(shown.length, ranking, random);
  const asked = rounds.flatMap((chunks, round) =>
    chunks.map((chunk) => ({ round, chunk: chunk.map((at) => shown[at]!) })),
  );
  const ranked = await Promise.all(
    asked.map(async ({ round, chunk }) => {
      const question = rankQuestion(
        { ...problem, rubric: rubric.text },
        chunk.map((at) => proofs[at]!),
      );
      const { answer, failures } = await asker.ask(round % asker.judges.length, question, ['rank', round], signal);
      return { points: answer === null ? null : pointsOf(answer.ranks, ranking), chunk, failures };
    }),
  );
  const earned = proofs.map((): number[] => []);
  for (const { points, chunk } of ranked)
    points?.forEach((point, index) => {
      earned[chunk[index]!]!.push(point);
    });
  return {
    points: proofs.map((proof, at) => {
      if (proof.trim() === '') return ranking.points.last;
      return earned[at]!.length === 0 ? null : mean(earned[at]!);
    }),
    failures: ranked.flatMap(({ failures }) => failures),
  };
}
