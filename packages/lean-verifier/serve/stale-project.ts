/**
 * Refuses work once a service's Lake project has been rebuilt: everything that the service holds of its modules is
 * outdated then.
 */
import type { FastifyInstance } from 'fastify';
import { watchProject } from '../toolchain/project-marks.ts';
import type { LeanEnvironment } from '../verifier.ts';

export interface StaleProject {
  readonly environment: Pick<LeanEnvironment, 'projectModules'>;
  /** Called when the project was rebuilt. From then on all work is refused. */
  readonly onStale?: (() => void) | undefined;
  readonly refusal: (why: string) => Error;
}

/** Refuses work (POST) once the environment's project was rebuilt. */
export function refuseStaleWork(server: FastifyInstance, { environment, onStale, refusal }: StaleProject): void {
  const rebuilt = watchProject(environment);
  server.addHook('preHandler', async ({ method }) => {
    const why = method === 'POST' ? await rebuilt() : null;
    if (why === null) return;
    onStale?.();
    throw refusal(`${why}, and the server opens it again`);
  });
}
