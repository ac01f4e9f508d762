/** The search core over made-up worlds: a graph of states, tactics that lead from one to another, a clock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SearchLimits, type SearchWorld, searchProof } from './best-first.ts';
import { StateGraph } from './state-graph.ts';

const UNLIMITED: SearchLimits = { expansions: 1_000, wallMs: Infinity, leanMs: Infinity };
/** Edges of a world: from, to, log-probability. State 0 is the root; DONE is a proof; WRONG is no state. */
const DONE = 'done';
const WRONG = 'wrong';
type Edge = readonly [from: string, to: string, logprob: number];

interface Walk {
  readonly key: string;
  readonly tactics: readonly string[];
}

function world(edges: readonly Edge[], stepMs = 1): SearchWorld<Walk> & { steps: number } {
  const tacticsOf = Map.groupBy(edges, ([from]) => from);
  return {
    steps: 0,
    async propose({ key }) {
      return (tacticsOf.get(key) ?? []).map(([from, to, logprob]) => ({ tactic: `${from}>${to}`, logprob, count: 1 }));
    },
    async run(walk, tactic) {
      this.steps += 1;
      const to = tactic.split('>')[1]!;
      const state = { key: to, tactics: [...walk.tactics, tactic] };
      const leanMs = stepMs;
      if (to === DONE) return { kind: 'done', state, leanMs };
      return to === WRONG ? { kind: 'invalid', why: 'rejected', leanMs } : { kind: 'open', key: to, state, leanMs };
    },
    together: (work) => work(),
    now() {
      return this.steps * 10;
    },
  };
}
const ROOT = { key: '0', state: { key: '0', tactics: [] } };
const search = (edges: readonly Edge[], limits: Partial<SearchLimits> = {}, lengthExponent = 1, stepMs = 1) =>
  searchProof<Walk>(ROOT, world(edges, stepMs), { limits: { ...UNLIMITED, ...limits }, lengthExponent });

const edge = fc.tuple(
  fc.integer({ min: 0, max: 9 }).map(String),
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 9 }).map(String) },
    { weight: 1, arbitrary: fc.constantFrom(DONE, WRONG) },
  ),
  fc.integer({ min: -50, max: 0 }).map((tenths) => tenths / 10),
);
const edgesOf = fc.array(edge, { maxLength: 30 });
const exponent = fc.constantFrom(0, 0.5, 1);

/** Keys that can be reached from the root. */
function reachable(edges: readonly Edge[]): Set<string> {
  const met = new Set(['0']);
  for (const from of met) for (const [source, to] of edges) if (source === from) met.add(to);
  return met;
}

describe('a search without limits', () => {
  it('finds a proof exactly where there is one, and what it joins leads from the root to it', async () => {
    await fc.assert(
      fc.asyncProperty(edgesOf, exponent, async (edges, lengthExponent) => {
        const { end, state, logprob } = await search(edges, {}, lengthExponent);
        expect(end).toBe(reachable(edges).has(DONE) ? 'proved' : 'exhausted');
        if (end !== 'proved') return;
        let at = '0';
        for (const tactic of state.tactics) {
          const [from, to] = tactic.split('>');
          expect(from).toBe(at);
          at = to!;
        }
        expect(at).toBe(DONE);
        expect(logprob).toBeLessThanOrEqual(0);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('expands no state twice, and all that can be reached where there is no proof', async () => {
    await fc.assert(
      fc.asyncProperty(edgesOf, exponent, async (all, lengthExponent) => {
        const edges = all.filter(([, to]) => to !== DONE);
        const { expansions, states } = await search(edges, {}, lengthExponent);
        const keys = expansions.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        const met = reachable(edges);
        met.delete(WRONG);
        expect(new Set(keys)).toEqual(met);
        expect(states).toBe(met.size);
      }),
      { seed: 2, numRuns: 300 },
    );
  });
});

describe('limits', () => {
  it('of expansions are kept, and a proof within them is found', async () => {
    await fc.assert(
      fc.asyncProperty(edgesOf, exponent, fc.integer({ min: 0, max: 12 }), async (edges, lengthExponent, most) => {
        const whole = await search(edges, {}, lengthExponent);
        const limited = await search(edges, { expansions: most }, lengthExponent);
        const isWithin = whole.expansions.length <= most;
        expect(limited.expansions).toEqual(whole.expansions.slice(0, most));
        expect(limited.end).toBe(isWithin ? whole.end : 'expansions');
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('count a proof that is found in the very step that crosses them, and begin no step after', async () => {
    const edges: Edge[] = [
      ['0', WRONG, -0.1],
      ['0', DONE, -0.2],
    ];
    for (const limits of [{ leanMs: 6 }, { wallMs: 11 }, { expansions: 1 }])
      expect((await search(edges, limits, 1, 5)).end).toBe('proved');
    expect(await search(edges, { leanMs: 5 }, 1, 5)).toMatchObject({ end: 'leanMs', leanMs: 5 });
    expect(await search([...edges.slice(0, 1), ['0', '1', -0.1], ['1', DONE, 0]], { wallMs: 10 })).toMatchObject({
      end: 'wallMs',
      expansions: [{ steps: [{ outcome: 'rejected', next: null }] }],
    });
  });
});

describe('the graph', () => {
  const graphOf = (lengthExponent: number) => new StateGraph({ key: '0', state: 'root' }, lengthExponent);

  it('moves a state that is reached by a better way, and what lies behind it', () => {
    const graph = graphOf(0);
    graph.close('0');
    expect(graph.reach('0', { logprob: -5 }, 'far', 'first')).toBe('new');
    expect(graph.reach('0', { logprob: -1 }, 'near', 'near')).toBe('new');
    graph.close('far');
    expect(graph.reach('far', { logprob: -1 }, 'behind', 'behind')).toBe('new');
    expect(graph.reach('0', { logprob: -5.5 }, 'other', 'other')).toBe('new');
    graph.close('near');
    expect(graph.best()!.key).toBe('other');
    // `far` is expanded already: a state that was reached from it gets a higher priority.
    expect(graph.reach('near', { logprob: -0.5 }, 'far', 'second')).toBe('better');
    expect(graph.best()).toEqual({ key: 'behind', state: 'behind', logprob: -2.5, length: 3, score: -2.5 });
    expect(graph.reach('near', { logprob: -9 }, 'behind', 'worse')).toBe('known');
    expect(graph.reach('near', { logprob: -0.25 }, 'behind', 'better')).toBe('better');
    expect(graph.best()).toMatchObject({ state: 'better', logprob: -1.25, length: 2 });
  });

  it('divides by the length to the exponent', () => {
    const scores = [0, 0.5, 1].map((lengthExponent) => {
      const graph = graphOf(lengthExponent);
      graph.close('0');
      graph.reach('0', { logprob: -4 }, 'a', '');
      graph.close('a');
      graph.reach('a', { logprob: -4 }, 'b', '');
      return graph.best()!.score;
    });
    expect(scores).toEqual([-8, -8 / Math.SQRT2, -4]);
  });

  it('adds what a verifier makes of the last tactic, and of no other', () => {
    const graph = graphOf(0);
    graph.close('0');
    graph.reach('0', { logprob: -1 }, 'likely', '');
    graph.reach('0', { logprob: -5, bonus: 4.5 }, 'praised', '');
    expect(graph.best()).toMatchObject({ key: 'praised', logprob: -5, score: -0.5 });
    graph.close('praised');
    graph.reach('praised', { logprob: -0.1 }, 'behind', '');
    expect(graph.best()!.key).toBe('likely');
    graph.close('likely');
    expect(graph.best()).toMatchObject({ key: 'behind', score: -5.1 });
  });

  it('does not raise a score by going round in a circle', () => {
    const graph = graphOf(1);
    graph.close('0');
    graph.reach('0', { logprob: -5 }, 'a', 'a');
    graph.close('a');
    graph.reach('a', { logprob: -0.01 }, 'b', 'b');
    graph.close('b');
    expect(graph.reach('b', { logprob: -0.01 }, 'a', 'round')).toBe('known');
    expect(graph.reach('a', { logprob: -0.01 }, 'a', 'round')).toBe('known');
    expect(graph.reach('b', { logprob: -0.01 }, '0', 'round')).toBe('known');
  });

  it('has for every state a score that is that of one of its simple ways, and at least that of its first', () => {
    fc.assert(
      fc.property(edgesOf, exponent, (all, lengthExponent) => {
        const edges = all.filter(([, to]) => to !== DONE && to !== WRONG);
        const graph = graphOf(lengthExponent);
        const met = new Map([['0', 0]]);
        for (;;) {
          const best = graph.best();
          if (best === null) break;
          expect(best.score).toBeGreaterThanOrEqual(met.get(best.key)! - 1e-9);
          expect(waysTo(edges, best.key).some((way) => Math.abs(way - best.logprob) < 1e-9)).toBe(true);
          graph.close(best.key);
          for (const [from, to, logprob] of edges)
            if (from === best.key && graph.reach(from, { logprob }, to, to) === 'new')
              met.set(to, (best.logprob + logprob) / (best.length + 1) ** lengthExponent);
        }
      }),
      { seed: 4, numRuns: 60 },
    );
  });
});

/** Log-probabilities of the ways from the root that meet no state twice. */
function waysTo(edges: readonly Edge[], key: string): number[] {
  const found: number[] = [];
  const walk = (at: string, seen: readonly string[], logprob: number): void => {
    if (at === key) found.push(logprob);
    else
      for (const [from, to, cost] of edges)
        if (from === at && !seen.includes(to)) walk(to, [...seen, to], logprob + cost);
  };
  walk('0', ['0'], 0);
  return found;
}
