/** Steps that wait by themselves, as activities do by Temporal's retries: they poll with pauses, in virtual time. */
import { isStillComing, pauseAfterLook } from '../../infra/nodes/looking.ts';
import type { NodesState, Released, RequestResult } from '../../infra/nodes/provider.ts';
import type { ProvisioningSteps } from '../../workflows/nodes/provisioning-steps.ts';

/** One call each. */
export interface Looks {
  request(generation: number, attempt: number): Promise<RequestResult>;
  state(generation: number): Promise<NodesState>;
  release(last: number): Promise<Released>;
  sleep(ms: number): Promise<void>;
  now(): number;
}

export function waitingSteps(looks: Looks): Pick<ProvisioningSteps, 'request' | 'state' | 'release'> {
  const { sleep, now } = looks;
  const until = async <T>(
    untilMs: number | null,
    look: (number: number) => Promise<T>,
    isWaiting: (answer: T, number: number) => boolean,
  ): Promise<T> => {
    for (let number = 1; ; number += 1) {
      const answer = await look(number);
      const pause = pauseAfterLook(number);
      if (!isWaiting(answer, number) || (untilMs !== null && now() + pause > untilMs)) return answer;
      await sleep(pause);
    }
  };
  return {
    request: (generation, attempt, untilMs) =>
      until(
        untilMs,
        (number) => looks.request(generation, attempt * 1_000 + number),
        ({ kind }) => kind === 'no-capacity',
      ),
    state: (generation, untilMs) => until(untilMs, () => looks.state(generation), isStillComing),
    release: (last, untilMs) =>
      until(
        untilMs,
        () => looks.release(last),
        ({ left }) => left.length > 0,
      ),
  };
}
