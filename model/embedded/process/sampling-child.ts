/** Entry of a sampling process: one checkpoint, one thread, samples as they end. */
import { StpError } from '../../../data/errors.ts';
import { readCheckpoint } from '../../checkpoint/checkpoint.ts';
import { type Sampled, Sampler } from '../sampling/sampler.ts';
import type { SamplingMessage, SamplingRequest } from './sampling-messages.ts';
import { type Post, serve } from './serve.ts';

/** Signs of progress are posted at least this often while samples are under way. */
const REPORT_INTERVAL_MS = 500;

let opening: Promise<Sampler> | null = null;
let running = false;

async function open(checkpointDirectory: string, rows: number): Promise<Sampler> {
  return Sampler.open(await readCheckpoint(checkpointDirectory), rows);
}

async function run(sampler: Sampler, post: Post<SamplingMessage>): Promise<void> {
  if (running) return;
  running = true;
  let ended: Sampled[] = [];
  let reportedAt = performance.now();
  while (!sampler.idle) {
    ended.push(...(await sampler.step()));
    const now = performance.now();
    if (ended.length === 0 && now - reportedAt < REPORT_INTERVAL_MS) continue;
    await post({ type: 'sampled', samples: ended });
    ended = [];
    reportedAt = now;
  }
  running = false;
}

serve<SamplingRequest, SamplingMessage>(async (request, post) => {
  if (request.type === 'open') {
    opening = open(request.checkpointDirectory, request.rows);
    await opening;
    await post({ type: 'opened' });
    return;
  }
  if (opening === null) throw new StpError('STP1301', 'no checkpoint is open', 'Send `open` first.');
  const sampler = await opening;
  if (request.type === 'add') {
    sampler.add(request.group);
    await run(sampler, post);
  } else sampler.drop((key) => request.keys.has(key));
});
