/**
 * Tests the chart by real Helm (`lint`, `template`), its objects by Kubernetes' published schemas, and the compose file
 * by its published schema. Helm may have to be built first (minutes, once); then it takes half a minute. Uses no real
 * cluster and no real Docker.
 *
 * @module-tag slow
 */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { smallPython } from '../../python/small-environment.ts';
import { REPOSITORY } from '../docker/compose-file.ts';
import { composeSchema, helmOrBuild } from './programs.ts';
import { CHART, SAID } from './said.ts';

const helm = await helmOrBuild();
const python = await smallPython('kubernetes', "Kubernetes' and Compose's published schemas");
const schema = await composeSchema();
const VALIDATE = join(import.meta.dirname, 'validate.py');
/** The oldest that the chart says it works with, and the newest that the schemas have. */
const VERSIONS = ['1.33', '1.37'];

const values = async (said: object): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-schemas-')), 'values.json');
  await writeFile(path, JSON.stringify(said));
  return path;
};

describe.skipIf(helm === null)('the chart', () => {
  it('is taken by helm lint --strict', async () => {
    const lint = await execa(helm!, ['lint', CHART, '--strict', '--values', await values(SAID)], { reject: false });
    expect([lint.exitCode, lint.stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  it.skipIf(python === null)('becomes objects that Kubernetes has, without a field that it does not know', async () => {
    const render = ['template', 'fleet', CHART, '--values', await values(SAID), '--kube-version', '1.33.0'];
    const { stdout } = await execa(helm!, render);
    const objects = parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? []) as Record<string, never>[];
    expect(objects.length).toBeGreaterThan(12);
    const none = Object.fromEntries(VERSIONS.map((version) => [version, []]));
    expect(await python!(VALIDATE, { objects, versions: VERSIONS })).toEqual(none);
    const wrong = { ...objects.find(({ kind }) => kind === 'Deployment')!, unheardOf: 1 };
    const found = (await python!(VALIDATE, { objects: [wrong], versions: ['1.33'] })) as Record<string, string[]>;
    expect(found['1.33']).toEqual([expect.stringContaining('unheardOf')]);
  });
});

it.skipIf(python === null || schema === null)('the compose file is one by the published schema', async () => {
  const document = parse(await readFile(join(REPOSITORY, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, object>;
  };
  expect(await python!(VALIDATE, { document, schema })).toEqual([]);
  const [name, service] = Object.entries(document.services)[0]!;
  const wrong = { ...document, services: { ...document.services, [name]: { ...service, unheardOf: 1 } } };
  expect(await python!(VALIDATE, { document: wrong, schema })).toEqual([expect.stringContaining('unheardOf')]);
});
