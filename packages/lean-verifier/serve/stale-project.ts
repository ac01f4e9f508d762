/** Services over a Lake project: what they hold of its modules is worth nothing once the project was built anew. */
import type { FastifyInstance } from 'fastify';
import { watchProject } from '../toolchain/project-marks.ts';
import type { LeanEnvironment } from '../verifier.ts';

export interface StaleProject {
  readonly environment: Pick<LeanEnvironment, 'projectModules'>;
  /** Called when the project was built anew: from then on all work is refused. */
  readonly onStale?: (() => void) | undefined;
  /** The error that a client gets. */
  readonly refusal: (why: string) => Error;
}

/** Refuses work (POST) from when the environment's project was built anew. */
export function refuseStaleWork(server: FastifyInstance, { environment, onStale, refusal }: StaleProject): void {
  const rebuilt = watchProject(environment);
  server.addHook('preHandler', async ({ method }) => {
    const why = method === 'POST' ? await rebuilt() : null;
    if (why === null) return;
    onStale?.();
    throw refusal(`${why}, and the server opens it again`);
  });
}
