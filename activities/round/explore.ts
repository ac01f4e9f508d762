/** Conjectures without a model (`conjectures.source: explore` or `random`): equations over the functions near each seed or target of the plan. */
import { type ArtifactRef, artifactRefSchema } from '../../data/schemas/artifact.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { type ConjecturePlan, conjecturePlanSchema } from './conjecture-records.ts';

export interface ExploreConjecturesInput {
  readonly run: string;
  /** Folder of the round. */
  readonly name: string;
  readonly plan: ArtifactRef;
  readonly config: Pick<RunConfig, 'seed' | 'verification' | 'conjectures'>;
}

/** Statements whose signatures are explored in one go: what is done after each is told by a heartbeat. */
const STATEMENTS_AT_ONCE = 20;

export function exploreActivities(ports: Ports) {
  return {
    /**
     * The n-th copy of a statement in the plan gets its n-th equation, and none where there are fewer. Equations that another
     * statement under the same header has are written once.
     */
    async exploreConjectures({ run, name, plan, config }: ExploreConjecturesInput): Promise<ArtifactRef> {
      const store = await ports.store(run);
      return once(store, `${name}/conjectured.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const entries = await readAll(store, plan, conjecturePlanSchema);
          const statements = [...new Map(entries.map((entry) => [entry.seedId, entry])).values()];
          const left = new Map<string, string[]>();
          const taken = new Set<string>();
          for (let from = 0; from < statements.length; from += STATEMENTS_AT_ONCE) {
            const some = statements.slice(from, from + STATEMENTS_AT_ONCE);
            const found = await ports.explore(
              run,
              some.map((entry) => ({ header: entry.header, statement: anchorOf(entry) })),
              { ...config.verification, seed: config.seed, random: config.conjectures.source === 'random' },
              signal,
            );
            for (const [place, { seedId, header }] of some.entries()) {
              const key = (equation: string): string => `${header ?? ''}\n${equation}`;
              const fresh = found[place]!.equations.filter((equation) => !taken.has(key(equation)));
              for (const equation of fresh) taken.add(key(equation));
              left.set(seedId, fresh.reverse());
            }
            report({ explored: from + some.length, statements: statements.length });
          }
          const texts = entries.flatMap(({ seedId }, input) => {
            const text = left.get(seedId)?.pop();
            return text === undefined ? [] : [{ input, text }];
          });
          return writeRecords(store, `${name}/conjecture-texts-*.jsonl`, texts, signal);
        }),
      );
    },
  };
}

function anchorOf({ origin }: ConjecturePlan): string {
  return origin.kind === 'target' ? origin.targetStatement : origin.easyStatement;
}
