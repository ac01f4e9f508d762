/**
 * Tries composed actions (`actionsFor`) on statements, within a budget of Lean's time: by the chance that a ranker gives to statement
 * and action, or in their fixed order where there is no ranker.
 */
import { hash } from 'node:crypto';
import type { ProverConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';
import { ACTION_HEARTBEATS_MAX, type Action, actionPrice, actionsFor, grownHeaders } from '@stp/lean-explore';
import { markedProof } from '@stp/lean-verifier';
import {
  ActionBudget,
  type ActionOrder,
  type ActionRanker,
  displayProof,
  Failures,
  fixedPrior,
  statementTokens,
} from '@stp/selfplay';
import type { LemmaOffers } from '../../lemma-shelf.ts';
import type { RunVerifier, StatementContexts, VerificationLimits } from '../../ports.ts';
import type { GrownRecord } from '../../round/library.ts';
import { type RankerView, rankerView } from './order.ts';
import type { Ranking, TriedStatement } from './tries.ts';

export interface ActionTask {
  readonly run: string;
  readonly limits: VerificationLimits;
  readonly prover: ProverConfig;
  readonly ranking: Ranking;
  /** For each statement, ms of price. */
  readonly budgetMs: number;
  readonly grown: readonly GrownRecord[];
  /** The namespace that a statement's scripts open; null: none. */
  marksOf(statement: Pick<Statement, 'id' | 'header'>): string | null;
  readonly offersFor: LemmaOffers;
  readonly signal: AbortSignal;
  readonly report: (progress: unknown) => void;
}

export interface TriedActions {
  /** The first proof found by statement id, as a sample's text. */
  readonly proofs: ReadonlyMap<string, string>;
  /** A record for each statement on which something was tried. */
  readonly records: readonly TriedStatement[];
  readonly tried: number;
  readonly leanMs: number;
  /** Sum of the prices; never above the budget of all statements. */
  readonly priceMs: number;
}

interface Open {
  readonly statement: Statement;
  readonly marks: string | null;
  readonly tokens: readonly string[];
  readonly actions: readonly OfferedAction[];
  /** What has failed, those actions included that are chosen but not tried yet. */
  readonly failures: Failures;
  readonly tries: TriedStatement['tries'];
}

interface OfferedAction extends Action {
  readonly key: string;
  readonly price: number;
  /** Prices of the actions that stand before it in the fixed order. */
  readonly before: number;
}

/** Characters of a hash that tell a statement's actions apart. */
const KEY_DIGITS = 12;
/** A part counts no more tries than these. */
const AGAIN_MAX = 3;

/** By Lean's word alone, as scripts are: before a proof is kept, the compiled object is asked. */
export async function tryActions(
  ports: RunVerifier<'check'> & StatementContexts,
  statements: readonly Statement[],
  task: ActionTask,
): Promise<TriedActions> {
  const { run, limits, prover, ranking, grown, signal, report } = task;
  const contexts = await ports.contexts(run, statements, limits, signal);
  const open = statements.flatMap((statement, at): Open[] => {
    const { context } = contexts[at]!;
    if (context === null) return [];
    const constants = [...context.core, ...context.definitions.map(({ name }) => name)];
    const marks = task.marksOf(statement);
    const failed = new Failures();
    for (const { parts } of ranking.earlier.get(statement.id)?.values() ?? []) failed.add(parts);
    const actions = offered(actionsFor(context, task.offersFor(statement)().lemmas), ranking, statement.id, marks);
    return [
      {
        statement,
        marks,
        tokens: statementTokens(statement.statement, constants),
        actions,
        failures: failed,
        tries: [],
      },
    ];
  });
  const all = task.budgetMs * open.length;
  const budget = new ActionBudget(
    open.map(({ actions }) => actions),
    all,
    orderOf(open, rankerView(prover), ranking.ranker),
  );
  const headers = grownHeaders(grown);
  const verifier = await ports.verifier(run, { ...limits, heartbeatsMax: ACTION_HEARTBEATS_MAX }, grown);
  const proofs = new Map<string, string>();
  for (;;) {
    const chosen = budget.next((at) => !proofs.has(open[at]!.statement.id));
    if (chosen.length === 0) break;
    report({ actions: chosen.length, statements: open.length, proved: proofs.size, left: budget.left });
    const texts = chosen.map(({ statement: at, action }) => textOf(open[at]!, open[at]!.actions[action]!));
    const results = await verifier.check(
      chosen.map(({ statement: at }, place) => {
        const { id, header, statement } = open[at]!.statement;
        return { id: `${id} ${place}`, header: headers.get(header) ?? header, statement, proof: texts[place]! };
      }),
      { signal, confirm: false, smallLimitsOnly: true, explains: () => false },
    );
    for (const [place, { statement: at, action }] of chosen.entries()) {
      const { statement, marks, actions, tries } = open[at]!;
      const { kind, checkMs } = results[place]!;
      const { key, parts, before } = actions[action]!;
      tries.push({ key, marks, parts: [...parts], before, proved: kind === 'proved', ms: checkMs });
      if (kind === 'proved' && !proofs.has(statement.id)) proofs.set(statement.id, texts[place]!);
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
    leanMs: tries.reduce((sum, { ms }) => sum + ms, 0),
    priceMs: all - budget.left,
  };
}

/** By a ranker's chance; null: there is none, or the configuration asks for none. */
function orderOf(open: readonly Open[], view: RankerView | null, ranker: ActionRanker | null): ActionOrder | null {
  if (view === null || ranker === null) return null;
  const known = open.map(({ tokens, actions }) =>
    actions.map(({ parts, price, before }) => fixedPrior(price, before) + ranker.sum(view.features(tokens, parts))),
  );
  return {
    chance(statement, action) {
      const { failures, actions } = open[statement]!;
      return ranker.chance(known[statement]![action]!, view.after(failures, actions[action]!.parts));
    },
    chosen(statement, action) {
      const { failures, actions } = open[statement]!;
      failures.add(actions[action]!.parts);
    },
  };
}

/** What was not tried under these marks: first what was tried under none, in the list's order. */
function offered(
  actions: readonly Action[],
  { earlier }: Ranking,
  statementId: string,
  marks: string | null,
): OfferedAction[] {
  const own = earlier.get(statementId);
  let before = 0;
  const keyed = actions.map((action) => {
    const key = hash('sha256', action.proof).slice(0, KEY_DIGITS);
    const price = actionPrice(action.parts);
    before += price;
    const tried = own?.get(key);
    const again = Math.min(AGAIN_MAX, tried?.marks.size ?? 0);
    const parts = again === 0 ? action.parts : [...action.parts, `again:${again}`];
    return { ...action, key, price, parts, again, before: before - price, isDone: tried?.marks.has(marks) ?? false };
  });
  return keyed.filter(({ isDone }) => !isDone).sort((one, other) => one.again - other.again);
}

const textOf = ({ marks }: Open, { proof }: OfferedAction): string =>
  marks === null ? proof : markedProof(displayProof(proof), marks);
