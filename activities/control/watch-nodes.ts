/** Watches machines of a cloud while a run works on them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { withHeartbeat } from '../edge.ts';
import type { NodeSetInput, Until } from '../nodes/node-sets.ts';
import type { CloudMachines } from '../ports.ts';

export type WatchInput = NodeSetInput & Until;

/** Interval between checks of machines, ms. A preempted machine is noticed within this time. */
const LOOK_EVERY_MS = 30_000;
/** Machines that their group repairs or replaces count as lost after this time, ms. */
const REPAIR_MS_MAX = 15 * 60_000;

export function watchNodesActivity(ports: CloudMachines) {
  return {
    /** Polls the machines until they are lost or until `untilMs`. A failed poll is ignored. */
    async watchNodes(
      input: WatchInput,
    ): Promise<{ readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'over' }> {
      const { provider, name } = ports.provider(input.run, input.nodes);
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
  };
}
