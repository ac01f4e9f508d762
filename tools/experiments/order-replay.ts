/**
 * Compares orders of actions on a recording (`action-record.ts`). Each order plays rounds as the loop does, and Lean's
 * verdicts are looked up. No model samples and no library grows, and every order has the same verdicts and times.
 */
import { actionPrice, inFixedOrder } from '@stp/lean-explore';
import { ActionBudget, type ActionFeatures, ActionRanker, randomStream, type Try } from '@stp/selfplay';
import { featuresOn } from '../../activities/provers/scripts/order.ts';
import type { RecordedStatement } from './action-record.ts';
import { spreadOf } from './curves.ts';

const ORDERS = ['random', 'fixed', 'learned'] as const;
type Order = (typeof ORDERS)[number];

/** Share of a recording's statements that a seed holds out, by whole modules. */
const HELD_OUT_SHARE = 0.35;

interface RecordedAction {
  readonly proved: boolean;
  readonly ms: number;
  readonly price: number;
  readonly features: ActionFeatures;
}

interface Recorded {
  readonly module: string;
  readonly actions: readonly RecordedAction[];
}

export interface ReplayOptions {
  readonly seeds: readonly number[];
  readonly rounds: number;
  /** Budget of a round for each open statement, by the fixed prices, ms. */
  readonly msPerStatement: number;
}

interface Point {
  readonly ms: number;
  readonly proved: number;
}

export interface OrderResult {
  readonly order: Order;
  /** One curve for each seed. */
  readonly train: readonly (readonly Point[])[];
  /** Curves with the ranker of the training statements, which does not learn further. */
  readonly heldOut: readonly (readonly Point[])[];
}

export interface Replay {
  readonly orders: readonly OrderResult[];
  /**
   * Per seed: the number of statements, how many an action proves, the time of all actions, and the least time for one
   * proof of each.
   */
  readonly sets: readonly { readonly train: Ceiling; readonly heldOut: Ceiling }[];
}

interface Ceiling {
  readonly statements: number;
  readonly provable: number;
  readonly allMs: number;
  readonly leastMs: number;
}

export function replayOrders(recorded: readonly RecordedStatement[], options: ReplayOptions): Replay {
  const recordings = recorded.flatMap(({ tokens, labels, actions }): Recorded[] => {
    if (actions.length === 0) return [];
    const featuresOf = featuresOn(tokens);
    return [
      {
        module: labels[2] ?? labels[0] ?? '',
        actions: priced(inFixedOrder(actions)).map(({ proved, ms, parts, price, before }) => ({
          proved,
          ms,
          price,
          features: featuresOf({ parts, before }),
        })),
      },
    ];
  });
  const sets = options.seeds.map((seed) => splitByModule(recordings, seed));
  const orders = ORDERS.map((order): OrderResult => {
    const played = options.seeds.map((seed, index) => {
      const { train, heldOut } = sets[index]!;
      const { curve, ranker } = play(train, order, seed, options, null);
      return { train: curve, heldOut: play(heldOut, order, seed, options, ranker).curve };
    });
    return { order, train: played.map((one) => one.train), heldOut: played.map((one) => one.heldOut) };
  });
  return {
    orders,
    sets: sets.map(({ train, heldOut }) => ({ train: ceilingOf(train), heldOut: ceilingOf(heldOut) })),
  };
}

function priced<Action extends { readonly parts: readonly string[] }>(
  actions: readonly Action[],
): (Action & { readonly price: number; readonly before: number })[] {
  let before = 0;
  return actions.map((action) => {
    const price = actionPrice(action.parts);
    before += price;
    return { ...action, price, before: before - price };
  });
}

function splitByModule(recordings: readonly Recorded[], seed: number): { train: Recorded[]; heldOut: Recorded[] } {
  const modules = randomStream('order-replay', seed).shuffle(
    [...new Set(recordings.map(({ module }) => module))].sort(),
  );
  const held = new Set<string>();
  let count = 0;
  for (const module of modules) {
    const size = recordings.filter((one) => one.module === module).length;
    if (count + size > HELD_OUT_SHARE * recordings.length) continue;
    held.add(module);
    count += size;
  }
  return {
    train: recordings.filter(({ module }) => !held.has(module)),
    heldOut: recordings.filter(({ module }) => held.has(module)),
  };
}

/** @param learned another set's ranker, which is not trained further; null: the order learns as it goes */
function play(
  recordings: readonly Recorded[],
  order: Order,
  seed: number,
  { rounds, msPerStatement }: ReplayOptions,
  learned: ActionRanker | null,
): { curve: Point[]; ranker: ActionRanker | null } {
  const random = randomStream('order-replay', seed, 'order');
  const left = recordings.map(({ actions }) => (order === 'random' ? random.shuffle(actions) : [...actions]));
  const proved = new Set<number>();
  const tries: Try[] = [];
  let ranker = learned;
  let ms = 0;
  const curve: Point[] = [{ ms, proved: 0 }];
  for (let round = 0; round < rounds; round++) {
    const open = [...recordings.keys()].filter((index) => !proved.has(index));
    const own = open.map((index) => left[index]!);
    const now = ranker;
    const budget = new ActionBudget(
      own.map((actions) => {
        let before = 0;
        return actions.map((one) => {
          before += one.price;
          const score = now === null ? -before : now.chance(one.features) / one.price;
          return { price: one.price, score };
        });
      }),
      msPerStatement * open.length,
    );
    const tried = open.map(() => new Set<number>());
    for (;;) {
      const chosen = budget.next((at) => !proved.has(open[at]!));
      if (chosen.length === 0) break;
      for (const { statement, action } of chosen) {
        const one = own[statement]![action]!;
        tried[statement]!.add(action);
        tries.push({ ...one.features, proved: one.proved });
        ms += one.ms;
        if (one.proved) proved.add(open[statement]!);
      }
      curve.push({ ms, proved: proved.size });
    }
    for (const [at, index] of open.entries()) left[index] = left[index]!.filter((_, action) => !tried[at]!.has(action));
    if (order === 'learned' && learned === null) ranker = ActionRanker.trained(tries, seed);
  }
  return { curve, ranker };
}

function ceilingOf(recordings: readonly Recorded[]): Ceiling {
  const proofs = recordings.map(({ actions }) => actions.flatMap(({ proved, ms }) => (proved ? [ms] : [])));
  return {
    statements: recordings.length,
    provable: proofs.filter((own) => own.length > 0).length,
    allMs: recordings.reduce((sum, { actions }) => sum + actions.reduce((all, { ms }) => all + ms, 0), 0),
    leastMs: proofs.reduce((sum, own) => sum + (own.length === 0 ? 0 : Math.min(...own)), 0),
  };
}

/** Returns the number of statements proved within this time: that of the last point before it. */
const provedAt = (curve: readonly Point[], ms: number): number => curve.findLast((point) => point.ms <= ms)!.proved;

type Part = 'train' | 'heldOut';
const PARTS: readonly Part[] = ['train', 'heldOut'];
/** Share of the provable statements at which orders are compared by time. */
const MOST = 0.9;

/**
 * Returns Markdown: shares proved by Lean time, in seconds a statement, and the learned order's lead over the others.
 */
export function replayTable({ orders, sets }: Replay, seconds: readonly number[]): string {
  const sharesOf = (result: OrderResult, part: Part, at: number): number[] =>
    result[part].map((curve, index) => {
      const { statements } = sets[index]![part];
      return (100 * provedAt(curve, at * 1_000 * statements)) / statements;
    });
  const heads = PARTS.flatMap((part) =>
    seconds.map((at) => `${part === 'train' ? 'training' : 'held-out modules'}, ${at} s`),
  );
  const cells = (result: OrderResult): string[] =>
    PARTS.flatMap((part) => seconds.map((at) => withSpread(sharesOf(result, part, at))));
  const learned = orders.find(({ order }) => order === 'learned')!;
  const differences = orders
    .filter((one) => one !== learned)
    .map((other) => {
      const differ = PARTS.flatMap((part) =>
        seconds.map((at) => {
          const theirs = sharesOf(other, part, at);
          return withSpread(sharesOf(learned, part, at).map((share, index) => share - theirs[index]!));
        }),
      );
      return `| learned over ${other.order} | ${differ.join(' | ')} |`;
    });
  const ceiling = (part: Part): string =>
    withSpread(sets.map((set) => (100 * set[part].provable) / set[part].statements));
  const mean = (pick: (set: Replay['sets'][number]) => number): number => spreadOf(sets.map(pick)).mean / 1_000;
  const all = mean(({ train }) => train.allMs / train.statements);
  const least = mean(({ train }) => train.leastMs / train.statements);
  const times = orders.map(({ order, ...curves }) => {
    const [train, heldOut] = PARTS.map((part) => {
      const each = curves[part].map((curve, index) => {
        const { provable, statements } = sets[index]![part];
        const point = curve.find(({ proved }) => proved >= MOST * provable);
        return point === undefined ? null : point.ms / statements / 1_000;
      });
      const reached = each.filter((time) => time !== null);
      return reached.length < each.length ? 'not in all splits' : `${spreadOf(reached).mean.toFixed(2)} s`;
    });
    return `${order} ${train} and ${heldOut}`;
  });
  const [{ train, heldOut }] = sets as [Replay['sets'][number]];
  return [
    `| order | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---|').join('')}`,
    ...orders.map((result) => `| ${result.order} | ${cells(result).join(' | ')} |`),
    ...differences,
    '',
    `Per cent of the statements proved once so many seconds of Lean a statement are spent; mean and standard deviation over ${sets.length} splits by module, ${train.statements} training and ${heldOut.statements} held-out statements in the first. Differences are taken split by split. All actions prove ${ceiling('train')} and ${ceiling('heldOut')} and take ${all.toFixed(2)} s a statement; an oracle needs ${least.toFixed(3)} s. Time until 90 % of these are proved, training and held-out: ${times.join('; ')}.`,
  ].join('\n');
}

const withSpread = (values: readonly number[]): string => {
  const { mean, deviation } = spreadOf(values);
  return `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
};
