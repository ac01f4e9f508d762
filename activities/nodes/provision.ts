/**
 * Machines of a cloud: checks their prerequisites, requests them, checks their state, watches them, gives them back.
 * Every attempt is short except that of the watch.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import type { NodesConfig } from '@stp/config';
import { priceOfNodes } from '../../infra/cloud/pricing.ts';
import { isStillComing } from '../../infra/nodes/looking.ts';
import type { Asked, NodesState, Price, Released } from '../../infra/nodes/provider.ts';
import { withHeartbeat } from '../edge.ts';
import { concludeUnreported } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { finalAfter, lookUntil } from './look-again.ts';

export interface NodesInput {
  readonly run: string;
  readonly nodes: NodesConfig;
}

export interface NodeSetInput extends NodesInput {
  readonly generation: number;
}

/** By the server's clock, ms since 1970. */
interface Until {
  readonly untilMs: number;
}

export type WatchInput = NodeSetInput & Until;

/** More than a wait of the longest kind has. */
const ASKINGS_MAX = 1_000_000;

/** First digits of its checksum, which `bin/stp nodes bundle` puts into the name of a bundle. */
const BUNDLE_DIGITS = /\/worker-([0-9a-f]{16})\.tar\.gz$/;
/** How often machines are checked, ms: a slice that is taken away is noticed within this time. */
const LOOK_EVERY_MS = 30_000;
/** Machines that are repaired or made anew by their group may be away for so long before they count as lost. */
const REPAIR_MS_MAX = 15 * 60_000;

export function provisionActivities(ports: Pick<Ports, 'provider' | 'findObject' | 'monitor' | 'store'>) {
  const providerOf = ({ run, nodes }: NodesInput) => ports.provider(run, nodes);
  return {
    /** Is all there that machines need at their start? Asks the cloud for nothing. STP1602 says what is missing. */
    async checkNodes(input: NodesInput): Promise<void> {
      const { provider, name } = providerOf(input);
      // The requests as they will be: STP1602 where a value is not set.
      provider.plan({ run: name, generation: 1 });
      await requireBundle(input.nodes, ports.findObject);
    },

    /** What the machines cost by the hour today. */
    async priceMachines(_run: string, nodes: NodesConfig): Promise<Price> {
      return priceOfNodes(nodes, new Date());
    },

    /** Asks until the cloud accepts, or there is no time before `untilMs` to ask again: the last answer. */
    async requestNodes(input: NodeSetInput & Until & { readonly attempt: number }): Promise<Asked> {
      const { provider, name } = providerOf(input);
      const set = { run: name, generation: input.generation };
      return withHeartbeat(() =>
        finalAfter(input.untilMs, () =>
          lookUntil(
            input.untilMs,
            // Every asking has a number of its own: the cloud gives the same answer to the same one.
            (look) => provider.request(set, input.attempt * ASKINGS_MAX + look),
            (asked) => (asked.kind === 'no-capacity' ? asked.reason : null),
          ),
        ),
      );
    },

    /** Looks until the machines are there or will not come by themselves, or until `untilMs`: the last state. */
    async nodesState(input: NodeSetInput & Until): Promise<NodesState> {
      const { provider, name } = providerOf(input);
      return withHeartbeat(() =>
        finalAfter(input.untilMs, () =>
          lookUntil(
            input.untilMs,
            () => provider.state({ run: name, generation: input.generation }),
            (state, look) =>
              !isStillComing(state, look) ? null : state.kind === 'waiting' ? state.reason : 'nothing of that name yet',
          ),
        ),
      );
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

    /**
     * Deletes everything of the run, until nothing is left or until `untilMs`; null: forever, after any failure,
     * because machines that are not deleted cost money.
     */
    async releaseCloudNodes(
      input: NodesInput & { readonly lastGeneration: number; readonly untilMs: number | null },
    ): Promise<Released> {
      const { provider, name, label } = providerOf(input);
      const { lastGeneration: generation, untilMs } = input;
      const last = generation === 0 ? null : { run: name, generation };
      // Without a limit it is the last step of the run.
      if (untilMs === null) await concludeUnreported(ports, input.run);
      return withHeartbeat(() =>
        lookUntil(
          untilMs,
          () => provider.release(label, last).catch((error: Error) => ({ left: [error.message] })),
          ({ left }) => (left.length === 0 ? null : `${left.length} are still there, such as ${left[0]}`),
        ),
      );
    },
  };
}

/** STP1602 where the worker that machines install is not in its store, or its name is that of another checksum. */
async function requireBundle(nodes: NodesConfig, findObject: Ports['findObject']): Promise<void> {
  if (nodes.provider !== 'tpu' && nodes.provider !== 'gpu') return;
  const { bundle, bundleSha256 } = nodes;
  const advice = 'Run `bin/stp nodes bundle` and set nodes.bundle and nodes.bundleSha256 to what it prints.';
  const facts = { bundle, bundleSha256 };
  const named = BUNDLE_DIGITS.exec(bundle!)?.[1];
  if (named !== undefined && !bundleSha256!.startsWith(named))
    throw new StpError('STP1602', `nodes.bundleSha256 is not the checksum of ${bundle}`, advice, { facts });
  if ((await findObject(bundle!)) === null)
    throw new StpError('STP1602', `${bundle}, the archive that machines install, does not exist`, advice, { facts });
}
