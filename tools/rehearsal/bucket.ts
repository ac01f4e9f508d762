/** The rehearsal's interface to the bucket's process: its requests, its faults, its open uploads. */
import { createInterface } from 'node:readline';
import type { Machine, Service } from './machine.ts';
import { SEEN_NODE, SEEN_REPOSITORY } from './places.ts';

const BUCKET_PORT = 4443;
export const BUCKET = 'stp';

export type BucketMood =
  | { readonly kind: 'well' }
  /** Every second request fails: a status 503 or a cut connection. */
  | { readonly kind: 'unwell' }
  /** The next upload to an object whose name contains `name` stops in its first bytes, and the bucket reports it. */
  | { readonly kind: 'catch-upload'; readonly name: string };

export type BucketQuestion =
  | { readonly kind: 'sessions' }
  | { readonly kind: 'copy'; readonly prefix: string; readonly folder: string };

export type BucketWord =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'request';
      readonly line: string;
      readonly peer: string;
      readonly at: number;
      readonly trouble: string | null;
    }
  | { readonly kind: 'copied' }
  | { readonly kind: 'caught'; readonly name: string; readonly peer: string }
  /** Names of objects with an upload session that is not finished. */
  | { readonly kind: 'sessions'; readonly open: readonly string[] };

export type BucketRequest = Extract<BucketWord, { kind: 'request' }>;

export class Bucket {
  readonly requests: BucketRequest[] = [];
  readonly endpoint: string;
  readonly #service: Service;
  readonly #waiting = new Map<BucketWord['kind'], (word: BucketWord) => void>();

  constructor(machine: Machine) {
    this.endpoint = `http://${machine.address}:${BUCKET_PORT}`;
    const script = `${SEEN_REPOSITORY}/tools/rehearsal/bucket-main.ts`;
    this.#service = machine.service(
      'bucket',
      SEEN_NODE,
      [script, machine.address, String(BUCKET_PORT)],
      {},
      SEEN_REPOSITORY,
    );
  }

  async start(): Promise<void> {
    const ready = this.next('ready');
    const child = this.#service.start();
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const word = JSON.parse(line) as BucketWord;
      if (word.kind === 'request') this.requests.push(word);
      this.#waiting.get(word.kind)?.(word);
    });
    await ready;
  }

  set(mood: BucketMood): void {
    this.#say(mood);
  }

  /** Resolves with the next message of this kind. */
  next<Kind extends BucketWord['kind']>(kind: Kind): Promise<Extract<BucketWord, { kind: Kind }>> {
    return new Promise((resolve) => {
      this.#waiting.set(kind, (word) => {
        this.#waiting.delete(kind);
        resolve(word as Extract<BucketWord, { kind: Kind }>);
      });
    });
  }

  async openSessions(): Promise<readonly string[]> {
    const answer = this.next('sessions');
    this.#say({ kind: 'sessions' });
    return (await answer).open;
  }

  /** Writes all objects below the prefix into a folder that the bucket's machine can see. */
  async copy(prefix: string, folder: string): Promise<void> {
    const answer = this.next('copied');
    this.#say({ kind: 'copy', prefix, folder });
    await answer;
  }

  #say(words: BucketMood | BucketQuestion): void {
    this.#service.running!.stdin!.write(`${JSON.stringify(words)}\n`);
  }
}
