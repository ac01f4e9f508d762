/**
 * The bucket of a rehearsal: the tests' Cloud Storage in its own process. It writes a JSON line for every request. JSON
 * lines on standard input change its mood or ask a question. It ends at the end of standard input.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Fault, startFakeGcs } from '../../test/fakes/gcs.ts';
import { BUCKET, type BucketMood, type BucketQuestion, type BucketWord } from './bucket.ts';

const [, , host = '127.0.0.1', port = '4443'] = process.argv;
const say = (word: BucketWord): void => console.log(JSON.stringify(word));
let mood: BucketMood = { kind: 'well' };
let turn = 0;
let release: () => void = () => undefined;

/** Faults of every second request, in rotation. */
const TROUBLE: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'drop-answer' },
  { kind: 'status', status: 503, retryAfterSeconds: 1 },
  { kind: 'drop-download', afterBytes: 100 },
  { kind: 'drop-upload', afterBytes: 100 },
];

function troubleOf(line: string, peer: string): Fault | null {
  if (mood.kind === 'unwell') {
    turn += 1;
    return turn % 2 === 0 ? null : TROUBLE[((turn - 1) / 2) % TROUBLE.length]!;
  }
  if (mood.kind !== 'catch-upload' || !/^(?:PUT|POST) .*(?:upload_id|uploadType=multipart)/.test(line)) return null;
  const name = decodeURIComponent(/[?&]name=([^&]*)/.exec(line)?.[1] ?? '');
  if (!name.includes(mood.name)) return null;
  mood = { kind: 'well' };
  say({ kind: 'caught', name, peer });
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { kind: 'stall-upload', afterBytes: 1, until };
}

function meets(line: string, peer: string): Fault | null {
  const fault = troubleOf(line, peer);
  say({ kind: 'request', line, peer, at: Date.now(), trouble: fault?.kind ?? null });
  return fault;
}

/** Writes all objects below the prefix into the folder. */
function copy(prefix: string, folder: string): void {
  for (const name of server.names(BUCKET).filter((one) => one.startsWith(prefix))) {
    const path = join(folder, name.slice(prefix.length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, server.object(BUCKET, name)!.data);
  }
}

const server = await startFakeGcs([BUCKET], { host, port: Number(port), meets });
say({ kind: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as BucketMood | BucketQuestion;
  if (asked.kind === 'sessions') say({ kind: 'sessions', open: server.openSessions() });
  else if (asked.kind === 'copy') {
    copy(asked.prefix, asked.folder);
    say({ kind: 'copied' });
  } else {
    mood = asked;
    release();
  }
}
process.exit(0);
