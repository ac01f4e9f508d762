/** The bucket's process as the rehearsal sees it: its requests, its moods, what lies open in it. */
import { createInterface } from 'node:readline';
import type { Machine, Service } from './machine.ts';
import { SEEN_REPOSITORY } from './places.ts';

export const BUCKET_PORT = 4443;

export type BucketMood =
  | { readonly kind: 'well' }
  /** Answers 503 and cuts connections, every second time. */
  | { readonly kind: 'unwell' }
  /** The next upload to a name that matches stops in its first bytes, and the bucket says so. */
  | { readonly kind: 'catch-upload'; readonly name: string };

export type BucketWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'request'; readonly line: string; readonly peer: string; readonly at: number }
  | { readonly kind: 'caught'; readonly name: string; readonly peer: string }
  /** Names of objects with an upload session that is not finished. */
  | { readonly kind: 'sessions'; readonly open: readonly string[] };

type Request = Extract<BucketWord, { kind: 'request' }>;

export class Bucket {
  readonly requests: Request[] = [];
  readonly endpoint: string;
  private readonly service: Service;
  private readonly waiting = new Map<BucketWord['kind'], (word: BucketWord) => void>();

  constructor(machine: Machine) {
    this.endpoint = `http://${machine.address}:${BUCKET_PORT}`;
    const script = `${SEEN_REPOSITORY}/tools/rehearsal/bucket-main.ts`;
    const node = `${SEEN_REPOSITORY}/node_modules/node/bin/node`;
    this.service = machine.service('bucket', node, [script, machine.address, String(BUCKET_PORT)], {}, SEEN_REPOSITORY);
  }

  async start(): Promise<void> {
    const ready = this.next('ready');
    const child = this.service.start();
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const word = JSON.parse(line) as BucketWord;
      if (word.kind === 'request') this.requests.push(word);
      this.waiting.get(word.kind)?.(word);
    });
    await ready;
  }

  set(mood: BucketMood): void {
    this.service.running!.stdin!.write(`${JSON.stringify(mood)}\n`);
  }

  /** The next word of the kind. */
  next<Kind extends BucketWord['kind']>(kind: Kind): Promise<Extract<BucketWord, { kind: Kind }>> {
    return new Promise((resolve) => {
      this.waiting.set(kind, (word) => {
        this.waiting.delete(kind);
        resolve(word as Extract<BucketWord, { kind: Kind }>);
      });
    });
  }

  async openSessions(): Promise<readonly string[]> {
    const answer = this.next('sessions');
    this.service.running!.stdin!.write(`{"kind":"sessions"}\n`);
    return (await answer).open;
  }
}
