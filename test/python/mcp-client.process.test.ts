/** The official Python client of the Model Context Protocol works against our server, over standard input and output and over HTTP. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { STP } from '../support/stp.ts';
import { smallPython } from './small-environment.ts';

const python = await smallPython('mcp', 'the official Python client of the Model Context Protocol');

it.skipIf(python === null)('the Python client', { tags: ['slow'], timeout: 400_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-mcp-python-'));
  await writeFile(join(folder, 'A.lean'), 'theorem a (n : Nat) : n = n := by\n  sorry\n');
  const args = ['mcp', '--project', folder, '--processes', '1'];
  const env = { ...process.env, STP_MCP_KEYS: 'secret' };
  const server = spawn(STP, [...args, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let url = '';
    for await (const line of createInterface({ input: server.stdout })) {
      url = /http:\S+/u.exec(line)?.[0] ?? '';
      if (url !== '') break;
    }
    const found = await python!('mcp_client.py', {
      command: STP,
      args,
      env: process.env,
      url,
      key: 'secret',
      file: 'A.lean',
    });
    const session = {
      version: '2025-11-25',
      tools: expect.arrayContaining(['check_file', 'disprove', 'verify_proof']),
      proved: 'proved',
      certificate: true,
      false: 'rejected',
      goals: ['n : Nat\n⊢ n = n'],
      tried: ['done', 'forbidden'],
      checked: 'rejected',
      beside: ['accepted', 'rejected'],
      outside: expect.stringContaining('outside the project folder'),
      progress: true,
    };
    expect(found).toEqual({ stdio: session, http: session });
  } finally {
    server.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});
