/**
 * Machines that are lost in a calm world: the state that the next set finds, and the leftovers if there is no next set.
 */

import { nodesConfigSchema, type TpuConfig } from '@stp/config';
import { describe, expect, it } from 'vitest';
import { tpuProvider } from '../../infra/cloud/tpu/provider.ts';
import { runLabel } from '../../infra/nodes/names.ts';
import { type NodesInUse, withNodes } from '../../workflows/nodes/provisioning.ts';
import type { HeldNodes, ProvisioningSteps } from '../../workflows/nodes/provisioning-steps.ts';
import { fakeClock } from '../fakes/clock.ts';
import { TpuModel } from '../fakes/tpu-model.ts';
import { modelApi } from './cloud-api.ts';
import { waitingSteps } from './looking.ts';
import { randomFrom } from './random.ts';
import { Cancelled, Scheduler } from './scheduler.ts';

const RUN = 'replaced-00000000';
const MINUTE_MS = 60_000;
const LIMITS = { validUntilMs: 30 * MINUTE_MS, heldMsMax: 100 * 60 * MINUTE_MS };

class Failed extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A worker that was at work says nothing any more. */
class Silent extends Error {}

/** A cloud, and the steps of a run on it. */
function world() {
  const clock = fakeClock();
  const scheduler = new Scheduler(clock);
  const model = new TpuModel(clock, () => 2);
  const calm = { failBefore: 0, failAfter: 0, listBehindMs: 0, slow: 0 };
  const config = nodesConfigSchema.parse({
    provider: 'tpu',
    project: 'test-project',
    zone: 'us-central2-b',
    accelerator: 'v4-16',
  }) as TpuConfig;
  const provider = tpuProvider(config, modelApi(model, randomFrom(1), scheduler, calm), () => ({}));
  const at = (generation: number) => ({ run: RUN, generation });
  const heard = <T>(work: Promise<T>): Promise<T> => scheduler.heard(work);
  const steps: ProvisioningSteps = {
    ...waitingSteps({
      request: (generation, attempt) => scheduler.shielded(() => provider.request(at(generation), attempt)),
      state: (generation) => heard(provider.state(at(generation))),
      release: (last) => heard(provider.release(runLabel(RUN), last === 0 ? null : at(last))),
      sleep: (ms) => scheduler.sleep(ms),
      now: clock.now,
    }),
    watch: (generation) =>
      heard(
        (async () => {
          for (;;) {
            const state = await provider.state(at(generation));
            if (state.kind === 'lost' || state.kind === 'absent') return { kind: 'lost', reason: state.kind };
            await scheduler.pause(MINUTE_MS);
          }
        })(),
      ),
    begin: () => scheduler.sleep(MINUTE_MS),
    end: () => scheduler.pause(10),
    sleep: (ms) => scheduler.sleep(ms),
    now: clock.now,
    scope: () => scheduler.scope(),
    shielded: (work) => scheduler.shielded(work),
    isCancellation: (error) => error instanceof Cancelled,
    isDeadHost: (error) => error instanceof Silent,
    answers: async (hostQueue) => {
      const name = `projects/test-project/locations/us-central2-b/queuedResources/${hostQueue.split('/')[1]}`;
      return model.requests.get(name)?.state === 'ACTIVE';
    },
    failure: (code, message) => new Failed(code, message),
    say: () => undefined,
  };
  const play = async (body: (nodes: NodesInUse) => Promise<void>): Promise<string> => {
    let outcome: string | null = null;
    withNodes(steps, LIMITS, null, () => false, body).then(
      () => {
        outcome = 'done';
      },
      (error: unknown) => {
        outcome = String(error);
      },
    );
    await scheduler.run(
      () => outcome !== null,
      () => undefined,
    );
    return outcome ?? 'never ended';
  };
  const takeAway = (): void => {
    for (const { name } of model.list('projects/test-project')) model.preempt(name);
  };
  return { model, scheduler, play, takeAway };
}

describe('machines that are lost', () => {
  it('are replaced, and time counts for every machine that was there', async () => {
    const { scheduler, play, takeAway } = world();
    const used: number[] = [];
    const outcome = await play(async (nodes) => {
      const work = nodes.use(async ({ generation }) => {
        used.push(generation);
        await scheduler.sleep(20 * MINUTE_MS);
      });
      await scheduler.sleep(10 * MINUTE_MS);
      expect(nodes.clock.time.setMs).toBeGreaterThanOrEqual(10 * MINUTE_MS);
      takeAway();
      await work;
      // The second set, of two hosts as the first, did the work from its beginning.
      expect(nodes.clock.time.setMs).toBeGreaterThanOrEqual(30 * MINUTE_MS);
      expect(nodes.clock.time.machineMs).toBe(2 * nodes.clock.time.setMs);
    });
    expect(outcome).toBe('done');
    expect(used).toEqual([1, 2]);
  });

  it('are gone before others are asked for: the quota may have room for one set', async () => {
    const { model, scheduler, play, takeAway } = world();
    model.quota = () => model.requests.size === 0;
    const used: number[] = [];
    const work = async ({ generation }: HeldNodes): Promise<void> => {
      used.push(generation);
      if (generation < 3) takeAway();
      await scheduler.sleep(10 * MINUTE_MS);
    };
    expect(await play((nodes) => nodes.use(work))).toBe('done');
    expect(used).toEqual([1, 2, 3]);
    expect(model.requests.size).toBe(0);
  });

  it('are not meant where work fails by silence and every machine answers', async () => {
    const { model, scheduler, play, takeAway } = world();
    const used: number[] = [];
    const outcome = await play(async (nodes) => {
      const poison = nodes.use(async ({ generation }) => {
        used.push(generation);
        await scheduler.sleep(MINUTE_MS);
        throw new Silent('a check that ends its process');
      });
      await expect(poison).rejects.toThrow('ends its process');
      await nodes.use(async ({ generation }) => {
        used.push(generation);
        if (generation === 2) return;
        takeAway();
        throw new Silent('the machine is gone');
      });
    });
    expect([outcome, used, model.requests.size]).toEqual(['done', [1, 1, 2], 0]);
  });

  it('leave nothing half asked for where there are no others, and are asked for again when they are needed', async () => {
    const { model, scheduler, play, takeAway } = world();
    const seen: unknown[] = [];
    const outcome = await play(async (nodes) => {
      const first = nodes.use(async () => {
        model.hasCapacity = () => false;
        takeAway();
        await scheduler.sleep(60 * MINUTE_MS);
      });
      await first.catch((error: Failed) => seen.push(error.code, [...model.requests.keys()]));
      await scheduler.sleep(60 * MINUTE_MS);
      seen.push(model.requests.size);
      model.hasCapacity = () => true;
      await nodes.use(async ({ generation }) => {
        seen.push(generation);
        await scheduler.sleep(MINUTE_MS);
      });
    });
    expect(outcome).toBe('done');
    expect(seen).toEqual(['STP1602', [], 0, 3]);
    expect(model.requests.size).toBe(0);
  });
});
