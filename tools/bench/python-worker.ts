/** Runs a Python script of `test/python` that answers JSON lines, so that measurements of both sides can alternate. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RUN_MARK } from '@stp/base/files';
import { interpreter } from '../../test/python/python.ts';

export interface PythonWorker {
  ask(request: unknown): Promise<unknown>;
  close(): void;
}

/** @param mark run mark by which the process is found */
export function startPython(script: string, mark?: string): PythonWorker {
  const child = spawn(interpreter, [join(import.meta.dirname, '..', '..', 'test', 'python', script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1', ...(mark && { [RUN_MARK]: mark }) },
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`${script} ended without an answer`);
      return JSON.parse(value);
    },
    close: () => child.stdin.end(),
  };
}
