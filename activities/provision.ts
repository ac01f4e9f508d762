/** Machines of a cloud: asked for, looked at, watched, given back. Each call is short but the watch, and may be repeated. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodesConfig } from '../data/schemas/nodes.ts';
import type { Asked, NodesState, Released } from '../infra/nodes/provider.ts';
import { withHeartbeat } from './edge.ts';
import type { Ports } from './ports.ts';

export interface NodesInput {
  readonly run: string;
  readonly nodes: NodesConfig;
}

export interface NodeSetInput extends NodesInput {
  readonly generation: number;
}

export interface WatchInput extends NodeSetInput {
  /** ms since 1970 */
  readonly untilMs: number;
}

/** How often machines are looked at, ms: a slice that is taken away is missed within this, and then found. */
const LOOK_EVERY_MS = 30_000;
/** Machines that are repaired or made anew by their group may be away for so long before they count as lost. */
const REPAIR_MS_MAX = 15 * 60_000;

export function provisionActivities(ports: Pick<Ports, 'provider'>) {
  const providerOf = ({ run, nodes }: NodesInput) => ports.provider(run, nodes);
  return {
    async requestNodes(input: NodeSetInput & { readonly attempt: number }): Promise<Asked> {
      const { provider, name } = providerOf(input);
      return withHeartbeat(() => provider.request({ run: name, generation: input.generation }, input.attempt));
    },

    async nodesState(input: NodeSetInput): Promise<NodesState> {
      const { provider, name } = providerOf(input);
      return withHeartbeat(() => provider.state({ run: name, generation: input.generation }));
    },

    /** Looks at the machines until they are lost, or until it is `untilMs`. A look that fails says nothing. */
    async watchNodes(
      input: WatchInput,
    ): Promise<{ readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'over' }> {
      const { provider, name } = providerOf(input);
      return withHeartbeat(async (signal, report) => {
        let awaySinceMs: number | null = null;
        for (;;) {
          const leftMs = input.untilMs - Date.now();
          if (leftMs <= 0) return { kind: 'over' };
          const state = await provider.state({ run: name, generation: input.generation }).catch((error: Error) => {
            report({ look: error.message });
            return null;
          });
          if (state?.kind === 'absent') return { kind: 'lost', reason: 'nothing of that name is there' };
          if (state?.kind === 'lost' || state?.kind === 'incomplete' || state?.kind === 'failed')
            return { kind: 'lost', reason: state.reason };
          if (state?.kind === 'ready') awaySinceMs = null;
          if (state?.kind === 'waiting') {
            awaySinceMs ??= Date.now();
            if (Date.now() - awaySinceMs >= REPAIR_MS_MAX) return { kind: 'lost', reason: state.reason };
          }
          report({ state: state?.kind ?? 'unknown' });
          await sleep(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal });
        }
      });
    },

    /** Has everything of the run deleted; to be called until nothing is left. */
    async releaseCloudNodes(input: NodesInput & { readonly lastGeneration: number }): Promise<Released> {
      const { provider, name, label } = providerOf(input);
      const { lastGeneration: generation } = input;
      return withHeartbeat(() => provider.release(label, generation === 0 ? null : { run: name, generation }));
    },
  };
}
