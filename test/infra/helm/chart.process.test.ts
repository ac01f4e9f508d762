/**
 * The chart: its values against their schema, and its rendered templates. Rendering needs `helm` (`programs.ts`); without it
 * those tests are skipped, and the others check the templates as text. About 3 s; `schemas.slow.ts` builds `helm` and checks
 * what it renders by published schemas.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { inventoryWorkers, readInventory } from '../../../infra/nodes/inventory.ts';
import { ownHostQueue } from '../../../infra/nodes/names.ts';
import { CONTROL_QUEUE, LEAN_QUEUE } from '../../../workflows/control/contracts.ts';
import { REPOSITORY } from '../docker/compose-file.ts';
import { findHelm } from './programs.ts';
import { CHART, SAID } from './said.ts';

const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
const templates = readdirSync(join(CHART, 'templates')).map(
  (name) => [name, readFileSync(join(CHART, 'templates', name), 'utf8')] as const,
);
it('has values that its schema allows, and a schema that refuses what is wrong', () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
  expect([validate(values), validate.errors]).toEqual([true, null]);
  const wrong: readonly ((copy: typeof values) => void)[] = [
    (copy) => (copy.store.uri = 's3://bucket'),
    (copy) => (copy.temporal.address = 'http://temporal:7233'),
    (copy) => (copy.image.worker.digest = 'latest'),
    (copy) => (copy.lean.replicas = 0),
    (copy) => (copy.lean.replica = 2),
    (copy) => (copy.sandbox.seccompProfile.type = 'None'),
    (copy) => (copy.networkPolicy.storeCidrs = ['storage.googleapis.com']),
    (copy) => delete copy.leanService.enabled,
  ];
  for (const spoil of wrong) {
    const copy = structuredClone(values);
    spoil(copy);
    expect([spoil.toString(), validate(copy)]).toEqual([spoil.toString(), false]);
  }
});

it('has templates that ask for values that there are, and use every value', () => {
  const text = templates.map(([, template]) => template).join('\n');
  const at = (path: string): unknown => path.split('.').reduce((value, key) => value?.[key], values);
  const asked = [...text.matchAll(/(?:\$|\.root)?\.Values\.([\w.]+)/g)].map(([, path = '']) => path);
  expect(asked.length).toBeGreaterThan(25);
  for (const path of asked) expect([path, at(path) !== undefined]).toEqual([path, true]);
  for (const [section, content] of Object.entries(values))
    for (const key of Object.keys(content as object))
      expect([section, key, text.includes(`.${key}`) || text.includes(`"${key}"`)]).toEqual([section, key, true]);
  for (const [name, template] of templates) {
    expect([name, template.split('{{').length]).toEqual([name, template.split('}}').length]);
    const opened = template.match(/\{\{-? *(?:if|range|with|define)\b/g)?.length ?? 0;
    expect([name, template.match(/\{\{-? *end\b/g)?.length ?? 0]).toEqual([name, opened]);
    const defined = [...text.matchAll(/define "([\w.]+)"/g)].map(([, helper]) => helper);
    for (const [, helper] of template.matchAll(/include "([\w.]+)"/g)) expect(defined).toContain(helper);
  }
});

it('lets machines that train together talk to each other, and nobody else to them but Prometheus', () => {
  const text = templates.find(([name]) => name === 'network-policies.yaml')![1];
  const policies = text.split(/^---$/m).filter((policy) => policy.includes('"component" "host"'));
  expect(policies).toHaveLength(1);
  expect(policies[0]!.match(/"component" "host"/g)).toHaveLength(2);
  expect(policies[0]).toMatch(/ingress:\n +- from:\n +- podSelector:/);
  expect(policies[0]).not.toContain('ports:');
});

it('starts programs that there are, and asks for the queues that they poll', () => {
  const text = templates.map(([, template]) => template).join('\n');
  for (const [path] of text.matchAll(/(?:workers|cli|infra\/docker)\/[\w-]+\.ts/g))
    expect([path, existsSync(join(REPOSITORY, path))]).toEqual([path, true]);
  const queues = [...text.matchAll(/"queue" "([^"]+)"/g)].map(([, queue]) => queue);
  expect(new Set(queues)).toEqual(new Set([CONTROL_QUEUE, LEAN_QUEUE]));
});

const helm = await findHelm();
if (helm === null) console.log('skipped: rendered templates (no helm; npm run test:slow builds it where there is Go)');

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of Kubernetes, of many kinds
  readonly [part: string]: any;
}

async function render(said: object, fails = false): Promise<{ readonly objects: Rendered[]; readonly stderr: string }> {
  const path = join(mkdtempSync(join(tmpdir(), 'stp-chart-')), 'values.json');
  writeFileSync(path, JSON.stringify(said));
  const result = await execa(helm!, ['template', 'fleet', CHART, '--values', path, '--kube-version', '1.33.0'], {
    reject: false,
  });
  expect([result.exitCode !== 0, result.stderr]).toEqual([fails, fails ? expect.any(String) : '']);
  const objects = fails ? [] : parseAllDocuments(result.stdout).map((document) => document.toJS() as Rendered);
  return { objects: objects.filter((object) => object !== null), stderr: result.stderr };
}

it.skipIf(helm === null)('becomes manifests in which no pod has rights, and Lean reaches nothing', async () => {
  const { objects } = await render(SAID);
  const named = (kind: string, name: string): Rendered => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual([
    'fleet-control',
    'fleet-host',
    'fleet-lean',
    'fleet-lean-service',
  ]);
  for (const { metadata, spec } of workloads) {
    const pod = spec.template.spec;
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      hostUsers: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    });
    named('ServiceAccount', pod.serviceAccountName);
    named('PodDisruptionBudget', metadata.name);
    for (const container of [...pod.initContainers, ...pod.containers]) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.image).toMatch(/@sha256:[0-9a-f]{64}$/);
      const volumes = [
        ...(pod.volumes ?? []),
        ...(spec.volumeClaimTemplates ?? []).map((claim: Rendered) => claim.metadata),
      ];
      for (const mount of container.volumeMounts) expect(volumes.map(({ name }) => name)).toContain(mount.name);
    }
  }
  const egress = named('NetworkPolicy', 'fleet-lean').spec.egress;
  const blocks = egress.flatMap((rule: Rendered) => rule.to.flatMap((to: Rendered) => to.ipBlock?.cidr ?? []));
  expect(blocks).toEqual(['10.0.0.0/16', '199.36.153.8/30', '199.36.153.4/30']);
  expect(named('NetworkPolicy', 'fleet-lean-service').spec).toMatchObject({
    egress: [],
    policyTypes: ['Ingress', 'Egress'],
  });
  // Secrets are named: none is made and none is written into a manifest.
  expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  for (const { spec } of objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'))
    named(spec.scaleTargetRef.kind, spec.scaleTargetRef.name);
});

it.skipIf(helm === null)('gives runs an inventory with the queues that its hosts poll', async () => {
  const { objects } = await render(SAID);
  const text = objects.find(({ kind }) => kind === 'ConfigMap')?.data['inventory.yaml'];
  const path = join(mkdtempSync(join(tmpdir(), 'stp-chart-')), 'inventory.yaml');
  writeFileSync(path, text);
  const queues = inventoryWorkers(readInventory(path)).map(({ taskQueue }) => taskQueue);
  const host = objects.find(({ kind }) => kind === 'StatefulSet')!;
  const { env } = host.spec.template.spec.containers[0];
  const queue = env.find(({ name }: { name: string }) => name === 'STP_HOST_QUEUE').value;
  const polled = Array.from({ length: 3 }, (_, index) =>
    ownHostQueue({ STP_HOST_QUEUE: queue.replace('$(POD_NAME)', `${host.metadata.name}-${index}`) }),
  );
  expect(queues).toEqual(polled);
});

it.skipIf(helm === null)('refuses to be installed without what it needs', async () => {
  expect((await render({}, true)).stderr).toMatch(/is not set/);
  const { store: _, ...withoutStore } = SAID;
  expect((await render(withoutStore, true)).stderr).toContain('store.uri is not set');
  expect((await render({ ...SAID, store: { uri: 'file:///runs' } }, true)).stderr).toMatch(/uri/);
});
