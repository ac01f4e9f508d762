/** The verifier of a run over Lean servers. They have the installed library, without the theorems that a run added. */

import {
  openRemotePool,
  openVerifier,
  type SandboxFacts,
  type Verifier,
  type VerifierOptions,
} from '@stp/lean-verifier';
import type { LeanServersSettings } from './settings.ts';

type Settings = Omit<Extract<VerifierOptions, { readonly pool: unknown }>, 'pool' | 'cacheDirectory'>;

export interface RemoteVerifierOptions extends Settings {
  /** Refuse servers whose Lean is not walled in. */
  readonly sandboxRequired: boolean;
  /** Folder of verdicts given by a Lean that is walled in so. */
  readonly cacheDirectory: (sandbox: SandboxFacts) => string;
}

/** Throws STP1203 where no server answers (retryable) or one has another Lean, STP1205 where one should be walled in and is not. */
export async function remoteVerifier(servers: LeanServersSettings, options: RemoteVerifierOptions): Promise<Verifier> {
  const { sandboxRequired, environment } = options;
  const pool = await openRemotePool({ ...servers, environment, sandboxRequired });
  const verifier = await openVerifier({ ...options, cacheDirectory: options.cacheDirectory(pool.sandbox), pool });
  return {
    ...verifier,
    sandbox: pool.sandbox,
    async close() {
      await verifier.close();
      await pool.close();
    },
  };
}
