/** Verifiers of runs, kept warm by run, limits and grown modules. */

import { grownModules, type Verifier } from '@stp/lean-verifier';
import type { Ports } from '../activities/ports.ts';

type VerifierArguments = Parameters<Ports['verifier']>;
type Limits = VerifierArguments[1];
type Bounds = Omit<Limits, 'heartbeatsMax'>;
type Grown = NonNullable<VerifierArguments[2]>;

interface Warm {
  readonly run: string;
  /** Modules of the run's grown theorems. */
  readonly modules: readonly string[];
  readonly verifier: Promise<Verifier>;
}

export class RunVerifiers {
  readonly #open: (run: string, limits: Bounds, grown: Grown) => Promise<Verifier>;
  readonly #warm = new Map<string, Warm>();

  /** `open` makes a verifier for checks under any heartbeats. */
  constructor(open: (run: string, limits: Bounds, grown: Grown) => Promise<Verifier>) {
    this.#open = open;
  }

  /** Returns one verifier, with its processes and verdicts, for requests that differ only in heartbeats. */
  async get(run: string, limits: Limits, grown: Grown): Promise<Verifier> {
    return under(limits.heartbeatsMax, await this.#warmed(run, limits, grown));
  }

  #warmed(run: string, { heartbeatsMax: _, ...limits }: Limits, grown: Grown): Promise<Verifier> {
    const modules = grownModules(grown).map(({ module }) => module);
    const key = JSON.stringify([run, limits, modules]);
    const warm = this.#warm.get(key);
    if (warm !== undefined) return warm.verifier;
    const outgrown = modules.length === 0 ? [] : this.#outgrown(run, modules);
    const verifier = (async () => {
      // A verifier holds its whole cache of verdicts, and those over an outgrown library are never requested again.
      for (const its of outgrown) await this.#close(its);
      return this.#open(run, limits, grown);
    })();
    this.#warm.set(key, { run, modules, verifier });
    verifier.catch(() => this.#warm.delete(key));
    return verifier;
  }

  #outgrown(run: string, modules: readonly string[]): string[] {
    return [...this.#warm].flatMap(([key, its]) =>
      its.run === run && its.modules.length > 0 && its.modules.join() !== modules.join() ? [key] : [],
    );
  }

  /** Closes the verifiers of the selected runs. */
  async release(isMeant: (run: string) => boolean): Promise<void> {
    for (const [key, { run }] of [...this.#warm]) if (isMeant(run)) await this.#close(key);
  }

  async #close(key: string): Promise<void> {
    const warm = this.#warm.get(key);
    this.#warm.delete(key);
    await warm?.verifier.then((open) => open.close()).catch(() => undefined);
  }
}

function under(heartbeatsMax: Limits['heartbeatsMax'], verifier: Verifier): Verifier {
  return {
    ...verifier,
    check: (candidates, options) => verifier.check(candidates, { heartbeatsMax, ...options }),
    checkStatements: (statements, options) => verifier.checkStatements(statements, { heartbeatsMax, ...options }),
  };
}
