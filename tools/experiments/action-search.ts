/**
 * Best-first search over states with composed actions. Of all actions of all states the most promising come next: those with the
 * highest chance for the price of Lean's time, in states that likely actions led to. Some actions of one state run together, since
 * Lean reads them at once. A state keeps its other actions for later.
 */

/** An action that may be tried in a state. */
export interface WeighedAction {
  /** Chance that it is on the way to a proof, in (0, 1). */
  readonly chance: number;
  /** Expected time of Lean, ms; above 0. */
  readonly price: number;
}

/** A state as the search met it. */
export interface MetState<State> {
  readonly state: State;
  /** Number of actions on the way to it. */
  readonly depth: number;
  /** The state before, and the place among its actions of the one that led here; null at the root. */
  readonly from: { readonly met: MetState<State>; readonly action: number } | null;
}

export type ActionOutcome<State> =
  | { readonly kind: 'open'; readonly key: string; readonly state: State }
  | { readonly kind: 'done' }
  | { readonly kind: 'invalid' };

export interface ActionWorld<State> {
  /** The actions of a state, in any order. Asked once for each state. */
  actions(met: MetState<State>): readonly WeighedAction[];
  /** Tries some, by their places. One result each, with Lean's processor time. */
  tryAll(
    met: MetState<State>,
    actions: readonly number[],
  ): Promise<readonly { readonly outcome: ActionOutcome<State>; readonly leanMs: number }[]>;
}

export interface ActionSearchOptions {
  /** Lean's processor time, ms. Compared before each group of tries; the result of what has begun counts. */
  readonly leanMs: number;
  /** Actions of a state that run together, at most. */
  readonly together: number;
  /** By how much the way to a state counts beside its action: 0, not at all; 1, as much. */
  readonly pathWeight: number;
}

export interface TriedAction<State> {
  readonly met: MetState<State>;
  readonly action: number;
  readonly isOnPath: boolean;
}

export interface ActionSearchOutcome<State> {
  /** The state and the action that end the proof; null where none was found. */
  readonly last: { readonly met: MetState<State>; readonly action: number } | null;
  readonly tries: readonly TriedAction<State>[];
  readonly states: number;
  readonly leanMs: number;
}

interface Node<State> {
  readonly met: MetState<State>;
  /** Natural log of the shares of the actions on the way here, weighted. */
  readonly path: number;
  /** Places of its actions, the most promising first, and what each is worth. */
  readonly order: readonly number[];
  readonly worths: readonly number[];
  /** The sum of all worths. */
  readonly total: number;
  next: number;
}

export async function searchActions<State>(
  root: { readonly key: string; readonly state: State },
  world: ActionWorld<State>,
  { leanMs: limitMs, together, pathWeight }: ActionSearchOptions,
): Promise<ActionSearchOutcome<State>> {
  const known = new Set([root.key]);
  const open: Node<State>[] = [];
  const tried: { met: MetState<State>; action: number }[] = [];
  let leanMs = 0;
  const add = (met: MetState<State>, path: number): void => {
    const actions = world.actions(met);
    const worths = actions.map(({ chance, price }) => chance / price);
    const order = [...actions.keys()].sort((one, other) => worths[other]! - worths[one]!);
    open.push({ met, path, order, worths, total: worths.reduce((sum, worth) => sum + worth, 0), next: 0 });
  };
  const finish = (last: ActionSearchOutcome<State>['last']): ActionSearchOutcome<State> => {
    const onPath = new Set<string>();
    const ids = new Map<MetState<State>, number>();
    const idOf = (met: MetState<State>): number => {
      if (!ids.has(met)) ids.set(met, ids.size);
      return ids.get(met)!;
    };
    for (let at = last; at !== null; at = at.met.from) onPath.add(`${idOf(at.met)} ${at.action}`);
    const tries = tried.map((one) => ({ ...one, isOnPath: onPath.has(`${idOf(one.met)} ${one.action}`) }));
    return { last, tries, states: known.size, leanMs };
  };
  add({ state: root.state, depth: 0, from: null }, 0);
  while (leanMs < limitMs) {
    const best = bestOf(open);
    if (best === null) break;
    const group = best.order.slice(best.next, best.next + together);
    best.next += group.length;
    const results = await world.tryAll(best.met, group);
    // All of the group have run, so all of it is paid for, also where an early one ends the proof.
    for (const { leanMs: ms } of results) leanMs += ms;
    for (const action of group) tried.push({ met: best.met, action });
    for (const [at, { outcome }] of results.entries()) {
      const action = group[at]!;
      if (outcome.kind === 'done') return finish({ met: best.met, action });
      if (outcome.kind === 'invalid' || known.has(outcome.key)) continue;
      known.add(outcome.key);
      const share = Math.log(best.worths[action]! / best.total);
      const met = { state: outcome.state, depth: best.met.depth + 1, from: { met: best.met, action } };
      add(met, best.path + pathWeight * share);
    }
  }
  return finish(null);
}

/** The node whose next action promises most; of equals the first. */
function bestOf<State>(nodes: readonly Node<State>[]): Node<State> | null {
  let best: Node<State> | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const node of nodes) {
    if (node.next >= node.order.length) continue;
    const promise = node.path + Math.log(node.worths[node.order[node.next]!]!);
    if (promise > most) [best, most] = [node, promise];
  }
  return best;
}
