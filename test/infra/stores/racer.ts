/**
 * One of several processes that use a store at once. Arguments: store URI, task, own letter. Says `ready`, waits for a
 * line, does the task, prints one JSON line.
 */
import { once } from 'node:events';
import { StpError } from '@stp/base';
import { openStore } from '../../../infra/stores/open-store.ts';

export const RACED_NAMES = 40;

const [uri, task, letter] = process.argv.slice(2);
if (uri !== undefined && task !== undefined && letter !== undefined) await main(uri, task, letter);

async function main(uri: string, task: string, letter: string): Promise<void> {
  const store = await openStore(uri);
  console.log('ready');
  await once(process.stdin, 'data');
  if (task === 'put-own' || task === 'put-same') {
    const results: string[] = [];
    for (let index = 0; index < RACED_NAMES; index += 1) {
      const text = task === 'put-same' ? `same ${index}` : `${letter} ${index}`;
      results.push(await store.put(`raced/${index}`, text).then(() => 'put', codeOf));
    }
    console.log(JSON.stringify(results));
  } else if (task === 'write-until-killed') {
    const text = letter.repeat(300_000);
    for (let index = 0; ; index += 1)
      await store.put(`killed/${letter}-${index}`, `${index} ${text}`, { count: index });
  } else if (task === 'fill') {
    const result = await store.put('big', Buffer.alloc(4 << 20, letter)).then(
      () => ({ code: 'put', advice: '' }),
      (error: StpError) => ({ code: error.code, advice: error.advice, reason: error.facts.reason }),
    );
    console.log(JSON.stringify(result));
  }
  process.exit(0);
}

function codeOf(error: unknown): string {
  return error instanceof StpError ? error.code : String(error);
}
