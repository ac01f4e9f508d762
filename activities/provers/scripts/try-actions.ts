/**
 * Tries composed actions (`actionsFor`) on statements within a budget of Lean's time. Their order follows a ranker's
 * probability for statement and action, or is fixed if there is no ranker.
 */
import { hash } from 'node:crypto';
import type { Statement } from '@stp/config/records';
import {
  type Action,
  actionPrice,
  MARKED,
  type SharedTask,
  TRY_HEARTBEATS_MAX,
  TRY_TIME_FACTOR,
  trySharing,
} from '@stp/lean-explore';
import { grownHeaders, markedProof } from '@stp/lean-verifier';
import { ActionBudget, displayProof } from '@stp/selfplay';
import type { LemmaOffers } from '../../lemma-shelf.ts';
import type { RunVerifier, StatementContexts, VerificationLimits } from '../../ports.ts';
import type { GrownRecord } from '../../round/library.ts';
import { featuresOn, statementTokens } from './order.ts';
import { actionsOver } from './statement-actions.ts';
import type { Ranking, TriedStatement } from './tries.ts';

export interface ActionTask {
  readonly run: string;
  readonly limits: VerificationLimits;
  readonly ranking: Ranking;
  /** Budget of each statement, ms of price. */
  readonly budgetMs: number;
  readonly grown: readonly GrownRecord[];
  /** The namespace that a statement's scripts open; null: none. */
  marksOf(statement: Pick<Statement, 'id' | 'header'>): string | null;
  readonly offersFor: LemmaOffers;
  readonly signal: AbortSignal;
  readonly report: (progress: unknown) => void;
}

export interface TriedActions {
  /** The first proof found, by statement id, as a sample's text. */
  readonly proofs: ReadonlyMap<string, string>;
  /** One record for each statement on which an action was tried. */
  readonly records: readonly TriedStatement[];
  readonly tried: number;
  readonly leanMs: number;
  /** Sum of the prices, ms; at most the budget of all statements. */
  readonly priceMs: number;
}

interface Open {
  readonly statement: Statement;
  readonly tokens: readonly string[];
  readonly actions: readonly OfferedAction[];
  readonly tries: TriedStatement['tries'];
}

interface OfferedAction extends Action {
  readonly key: string;
  /** The namespace whose marks it opens; null: none. */
  readonly marks: string | null;
  readonly price: number;
  /** Sum of the prices of the actions before it in the fixed order, ms. */
  readonly before: number;
}

/** Length of the hash that identifies a statement's action. */
const KEY_DIGITS = 12;
/**
 * How many times later an action comes with marks. A second of Lean with marks proved about as many times less
 * (`docs/log.md`).
 */
const MARKS_LATER = 5;
/** Matches tactics that use marks. */
const USES_MARKS = /\b(?:simp|simp_all|simpa|grind)\b/u;
/** Limit on the tries counted for a part. */
const AGAIN_MAX = 3;

/** Trusts Lean's messages, as for scripts: before a proof is kept, its compiled object is judged. */
export async function tryActions(
  ports: RunVerifier<'check'> & StatementContexts,
  statements: readonly Statement[],
  task: ActionTask,
): Promise<TriedActions> {
  const { run, limits, ranking, grown, signal, report } = task;
  const contexts = await ports.contexts(run, statements, limits, signal);
  const actionsOn = actionsOver(task.offersFor);
  const open = statements.flatMap((statement, at): Open[] => {
    const { context } = contexts[at]!;
    if (context === null) return [];
    const tokens = statementTokens(statement.statement, context);
    const actions = offered(actionsOn(statement, context), ranking, statement.id, task.marksOf(statement));
    return [{ statement, tokens, actions, tries: [] }];
  });
  const { ranker } = ranking;
  const all = task.budgetMs * open.length;
  const budget = new ActionBudget(
    open.map(({ tokens, actions }) => {
      const featuresOf = featuresOn(tokens);
      return actions.map((action) => {
        const { price, before } = action;
        // Without a ranker every statement gets the same score, so the fixed order stays.
        const score = ranker === null ? -before : ranker.chance(featuresOf(action)) / price;
        return { price, score };
      });
    }),
    all,
  );
  const headers = grownHeaders(grown);
  const verifier = await ports.verifier(run, limits, grown);
  const proofs = new Map<string, string>();
  let spentMs = 0;
  for (;;) {
    const chosen = budget.next((at) => !proofs.has(open[at]!.statement.id));
    if (chosen.length === 0) break;
    report({ actions: chosen.length, statements: open.length, proved: proofs.size, left: budget.left });
    const turns = [...Map.groupBy(chosen, ({ statement: at }) => at)].map(([at, own]) => {
      // Actions with equal marks share texts. Those without come first.
      const isMarked = (action: number): number => Number(open[at]!.actions[action]!.marks !== null);
      const actions = own.map(({ action }) => action).toSorted((one, other) => isMarked(one) - isMarked(other));
      return { at, actions };
    });
    const outcomes = await trySharing(
      turns.map(({ at, actions }): SharedTask => {
        const { statement: asked, actions: own } = open[at]!;
        const { id, header, statement } = asked;
        return {
          statement: { id, header: headers.get(header) ?? header, statement },
          scripts: actions.map((action) => {
            const { proof: text, marks, price } = own[action]!;
            return { text, marks, price };
          }),
          proofOf: withMarks,
        };
      }),
      (texts) => {
        const explained = new Set(texts.filter(({ isShared }) => isShared).map(({ id }) => id));
        return verifier.check(texts, {
          signal,
          confirm: false,
          smallLimitsOnly: true,
          explains: ({ id }) => explained.has(id),
          heartbeatsMax: TRY_HEARTBEATS_MAX,
          candidateTimeoutMs: limits.candidateTimeoutMs * TRY_TIME_FACTOR,
        });
      },
    );
    for (const [turn, { at, actions: indices }] of turns.entries())
      for (const [position, action] of indices.entries()) {
        const { statement, actions, tries } = open[at]!;
        const { kind, ms } = outcomes[turn]![position]!;
        spentMs += ms;
        if (kind === 'unknown') {
          budget.giveBack({ statement: at, action });
          continue;
        }
        const { key, marks, parts, before, proof } = actions[action]!;
        tries.push({ key, marks, parts: [...parts], before, proved: kind === 'proved', ms });
        if (kind === 'proved' && !proofs.has(statement.id)) proofs.set(statement.id, withMarks(proof, marks));
      }
  }
  const records = open.flatMap(({ statement, tokens, tries }) =>
    tries.length === 0 ? [] : [{ statementId: statement.id, tokens: [...tokens], tries }],
  );
  const tries = records.flatMap((one) => one.tries);
  return {
    proofs,
    records,
    tried: tries.length,
    leanMs: spentMs,
    priceMs: all - budget.left,
  };
}

/**
 * Returns what was not tried: each action without marks, and with the newest marks. Marks prove what needs the run's
 * lemmas, and fail where hundreds of lemmas rewrite a goal that was nearly closed, so in the fixed order they come later
 * (`MARKS_LATER`). An action that was tried with other marks comes after the whole list.
 */
function offered(
  actions: readonly Action[],
  { earlier }: Ranking,
  statementId: string,
  newest: string | null,
): OfferedAction[] {
  const own = earlier.get(statementId);
  const priced = actions.map((action) => ({ ...action, price: actionPrice(action.parts) }));
  const whole = priced.reduce((sum, { price }) => sum + price, 0);
  let sum = 0;
  return priced.flatMap((action): OfferedAction[] => {
    const unmarked = sum;
    sum += action.price;
    const key = hash('sha256', action.proof).slice(0, KEY_DIGITS);
    const tried = own?.get(key) ?? new Set();
    const plain = tried.has(null) ? [] : [{ ...action, key, marks: null, before: unmarked }];
    if (newest === null || tried.has(newest) || !USES_MARKS.test(action.proof)) return plain;
    const times = tried.size - (tried.has(null) ? 1 : 0);
    const again = times === 0 ? [] : [`again:${Math.min(AGAIN_MAX, times)}`];
    const parts = [...action.parts, MARKED, ...again];
    const before = MARKS_LATER * sum + times * whole;
    return [...plain, { ...action, key, marks: newest, parts, price: actionPrice(parts), before }];
  });
}

const withMarks = (proof: string, marks: string | null): string =>
  marks === null ? proof : markedProof(displayProof(proof), marks);
