/**
 * The bucket of a rehearsal: the tests' Cloud Storage in a process of its own, at an address. It writes a line of JSON for
 * every request, and takes a line of JSON on its standard input for every change of its mood; asked for it, it says which
 * upload sessions are open. It ends with its standard input.
 */
import { createInterface } from 'node:readline';
import { type Fault, startFakeGcs } from '../../test/fakes/gcs.ts';
import type { BucketMood, BucketWord } from './bucket.ts';

const [, , host = '127.0.0.1', port = '4443'] = process.argv;
const say = (word: BucketWord): void => console.log(JSON.stringify(word));
let mood: BucketMood = { kind: 'well' };
let turn = 0;

/** Every second request meets a fault, in turns: an answer of 503, a connection cut before the answer, one cut in it. */
const CUTS: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'drop-answer' },
  { kind: 'status', status: 503, retryAfterSeconds: 1 },
  { kind: 'drop-download', afterBytes: 100 },
  { kind: 'drop-upload', afterBytes: 100 },
];

function meets(line: string, peer: string): Fault | null {
  say({ kind: 'request', line, peer, at: Date.now() });
  if (mood.kind === 'unwell') {
    turn += 1;
    return turn % 2 === 0 ? null : CUTS[((turn - 1) / 2) % CUTS.length]!;
  }
  if (mood.kind === 'catch-upload' && /^(?:PUT|POST) .*(?:upload_id|uploadType=multipart)/.test(line)) {
    const name = decodeURIComponent(/[?&]name=([^&]*)/.exec(line)?.[1] ?? '');
    if (!new RegExp(mood.name).test(name)) return null;
    mood = { kind: 'well' };
    say({ kind: 'caught', name, peer });
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { kind: 'stall-upload', afterBytes: 1, until };
  }
  return null;
}
let release: () => void = () => undefined;

const server = await startFakeGcs(['stp'], { host, port: Number(port), meets });
say({ kind: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as BucketMood | { readonly kind: 'sessions' };
  if (asked.kind === 'sessions') say({ kind: 'sessions', open: server.openSessions() });
  else {
    mood = asked;
    release();
  }
}
process.exit(0);
