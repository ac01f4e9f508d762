/**
 * Behaves as `vllm serve` as far as starting, health, metrics and dying go, and samples by this project's own server. First
 * argument: a folder that says how it is to behave: `crash` (ends at its start, once),
 * `die-after` (ends after so many requests, once). Every command line is written into `calls`.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { join } from 'node:path';

const [folder = '', ...args] = process.argv.slice(2);
const option = (name: string): string => args[args.indexOf(name) + 1] ?? '';
const once = (name: string): string | null => {
  const path = join(folder, name);
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
};
appendFileSync(join(folder, 'calls'), `${JSON.stringify(args)}\n`);
if (once('crash') !== null) {
  console.error('torch.OutOfMemoryError: CUDA out of memory');
  process.exit(1);
}
const dieAfter = Number(once('die-after') ?? Infinity);
const port = Number(option('--port'));
const inner = port + 1;
const cli = join(import.meta.dirname, '../../../cli/main.ts');
const served = ['serve', '--model', args[1] ?? '', '--port', String(inner)];
const child = spawn(process.execPath, [cli, ...served], { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
const isServing = async (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${inner}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await isServing())) await new Promise((resolve) => setTimeout(resolve, 50));
let requests = 0;
createServer((incoming, outgoing) => {
  if (incoming.url === '/metrics') {
    outgoing.end(
      '# HELP vllm:num_requests_running x\nvllm:num_requests_running{engine="0"} 2.0\nvllm:num_requests_running{engine="1"} 1.0\nvllm:kv_cache_usage_perc{engine="0"} 0.5\n',
    );
    return;
  }
  if (incoming.url?.startsWith('/v1/completions')) requests += 1;
  if (requests > dieAfter) process.exit(1);
  const { method = 'GET', url = '/', headers } = incoming;
  const passed = ask({ host: '127.0.0.1', port: inner, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  incoming.pipe(passed);
}).listen(port, '127.0.0.1');
