/** Verifiers of runs, kept warm by run, limits and grown modules. */
import type { Ports } from '../activities/ports.ts';
import { grownModules } from '../lean/library/grow.ts';
import type { Verifier } from '../lean/verifier.ts';

type Asked = Parameters<Ports['verifier']>;
type Limits = Asked[1];
type Grown = NonNullable<Asked[2]>;

interface Warm {
  readonly run: string;
  readonly verifier: Promise<Verifier>;
}

export class RunVerifiers {
  readonly #open: (run: string, limits: Limits, grown: Grown) => Promise<Verifier>;
  readonly #warm = new Map<string, Warm>();
  /** Run → key of its verifier with grown theorems. */
  readonly #grown = new Map<string, string>();

  constructor(open: (run: string, limits: Limits, grown: Grown) => Promise<Verifier>) {
    this.#open = open;
  }

  get(run: string, limits: Limits, grown: Grown): Promise<Verifier> {
    const key = JSON.stringify([run, limits, grownModules(grown).map(({ module }) => module)]);
    const warm = this.#warm.get(key);
    if (warm !== undefined) return warm.verifier;
    const outgrown = grown.length === 0 ? undefined : this.#grown.get(run);
    if (grown.length > 0) this.#grown.set(run, key);
    const verifier = (async () => {
      // A verifier holds the whole cache of verdicts; that of the library as it was a round ago is not asked again.
      if (outgrown !== undefined) await this.#close(outgrown);
      return this.#open(run, limits, grown);
    })();
    this.#warm.set(key, { run, verifier });
    verifier.catch(() => this.#warm.delete(key));
    return verifier;
  }

  /** Closes those of the runs that are meant. */
  async letGo(isMeant: (run: string) => boolean): Promise<void> {
    for (const [key, { run }] of [...this.#warm]) if (isMeant(run)) await this.#close(key);
  }

  async #close(key: string): Promise<void> {
    const warm = this.#warm.get(key);
    this.#warm.delete(key);
    await warm?.verifier.then((open) => open.close()).catch(() => undefined);
  }
}
