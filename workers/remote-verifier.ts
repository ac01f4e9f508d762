/** The verifier of a run over Lean servers. They have the installed library, without theorems that a run has added. */

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
  /** Whether to refuse servers whose Lean has no sandbox. */
  readonly sandboxRequired: boolean;
  /** Returns the folder of the verdicts given under a sandbox. */
  readonly cacheDirectory: (sandbox: SandboxFacts) => string;
}

/**
 * Throws STP1203 if no server answers (retryable) or one has another Lean, and STP1205 if one lacks a required sandbox.
 */
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
