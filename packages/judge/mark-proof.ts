/**
 * Marks one proof. Every judge votes as often as configured, other judges may check the errors that a vote claims, and
 * the remaining votes give one mark. A vote that could not be obtained does not count, and too few votes give no mark.
 */
import type { Evidence, JudgeFailure, Judgement, Judging, Vote } from '@stp/config/records';
import type { Asker } from './ask/asker.ts';
import { combine, quorum } from './combine.ts';
import { type MarkAnswer, markQuestion } from './questions/mark-question.ts';
import { metaQuestion } from './questions/meta-question.ts';
import type { Problem } from './questions/question.ts';
import { type Criterion, readRubric } from './rubric.ts';
import { markOn } from './scale.ts';

export interface ProofToMark {
  readonly id: string;
  readonly problem: Problem;
  /** Empty: the answer contained no proof. */
  readonly proof: string;
}

export async function markProof(
  asker: Asker,
  judging: Judging,
  { id, problem, proof }: ProofToMark,
  signal: AbortSignal,
): Promise<Judgement> {
  const about = { id, problem: problem.id, set: problem.set };
  const nobodyAsked = { ...about, votes: [], failure: null, allFull: false };
  const rubric = readRubric(problem.rubric ?? undefined, problem.scale);
  if (typeof rubric === 'string')
    return {
      ...nobodyAsked,
      outcome: 'unjudged',
      mark: null,
      failure: { kind: 'rubric', detail: rubric, raw: problem.rubric },
    };
  if (proof.trim() === '') return { ...nobodyAsked, outcome: 'empty', mark: markOn(problem.scale, 0) };
  const asked = asker.judges.flatMap(({ votes }, judge) =>
    Array.from({ length: votes }, (_, vote) => ({ judge, vote })),
  );
  const ballot = {
    asker,
    judging,
    problem: { ...problem, rubric: rubric.text },
    criteria: rubric.criteria,
    proof,
    signal,
  };
  const votes = await Promise.all(asked.map(({ judge, vote }) => cast(ballot, judge, vote)));
  const marks = votes.flatMap(({ mark }) => (mark === null ? [] : [mark]));
  if (marks.length === 0 || marks.length < quorum(asked.length))
    return { ...about, outcome: 'unjudged', mark: null, votes, failure: whyNone(votes, marks.length), allFull: false };
  return {
    ...about,
    outcome: 'marked',
    mark: combine(marks, judging, problem.scale),
    votes,
    failure: null,
    allFull: marks.length === asked.length && marks.every(({ normalised }) => normalised === 1),
  };
}

interface Ballot {
  readonly asker: Asker;
  readonly judging: Judging;
  readonly problem: Problem;
  readonly criteria: readonly Criterion[];
  readonly proof: string;
  readonly signal: AbortSignal;
}

async function cast(ballot: Ballot, judge: number, vote: number): Promise<Vote> {
  const { asker, problem, criteria, proof, signal } = ballot;
  const { answer, record, failures } = await asker.ask(judge, markQuestion(problem, criteria, proof), [vote], signal);
  const by = { judge: asker.nameOf(judge), vote, record };
  if (answer === null)
    return { ...by, mark: null, evidence: [], criteria: [], errorsStanding: null, failures: [...failures] };
  const checked = await checkErrors(ballot, judge, vote, answer);
  return {
    ...by,
    mark: checked.stands ? answer.mark : null,
    evidence: [...answer.evidence],
    criteria: [...answer.criteria],
    errorsStanding: checked.errorsStanding,
    failures: [...failures, ...checked.failures],
  };
}

/**
 * Does the vote stand? A vote without a claimed error does. Otherwise, for one of its errors, the majority of checks
 * must confirm it.
 */
async function checkErrors(
  { asker, judging: { metaChecks }, problem, proof, signal }: Ballot,
  judge: number,
  vote: number,
  { evidence, mark }: MarkAnswer,
): Promise<{ stands: boolean; errorsStanding: number | null; failures: readonly JudgeFailure[] }> {
  const errors: Evidence[] = evidence.filter(({ kind }) => kind === 'error');
  if (metaChecks === 0 || errors.length === 0 || mark.normalised === 1)
    return { stands: true, errorsStanding: null, failures: [] };
  const question = metaQuestion(problem, proof, errors);
  const checks = await Promise.all(
    Array.from({ length: metaChecks }, (_, at) =>
      asker.ask((judge + 1 + at) % asker.judges.length, question, ['meta', vote, at], signal),
    ),
  );
  const failures = checks.flatMap((check) => check.failures);
  const answers = checks.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  if (answers.length < quorum(metaChecks)) return { stands: false, errorsStanding: null, failures };
  const standing = errors.filter(
    (_, at) => 2 * answers.filter(({ stands }) => stands[at]).length > answers.length,
  ).length;
  return { stands: standing > 0, errorsStanding: standing, failures };
}

/** Says why there is no mark. With one vote, its own failure says most. */
function whyNone(votes: readonly Vote[], counted: number): JudgeFailure {
  const last = votes.map(({ failures }) => failures.at(-1));
  if (votes.length === 1 && last[0] !== undefined) return last[0];
  const setAside = votes.filter(({ mark, errorsStanding }) => mark === null && errorsStanding === 0).length;
  const reasons = [
    ...(setAside > 0 ? [`${setAside} set aside, since no error that they claim stands`] : []),
    ...new Set(last.flatMap((failure) => (failure === undefined ? [] : [`${failure.kind}: ${failure.detail}`]))),
  ];
  return {
    kind: 'no-quorum',
    detail: `${counted} of ${votes.length} votes count; ${reasons.join('; ')}`.slice(0, 2_048),
    raw: null,
  };
}
