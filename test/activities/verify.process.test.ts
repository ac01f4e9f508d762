/**
 * The rules around verification, with a checker whose answers the test sets: canaries, infrastructure, certificates.
 * One test uses real Lean.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { sha256 } from '@stp/config/ids';
import {
  type ObjectStore,
  type Proved,
  provedSchema,
  type ShardResult,
  type VerdictKind,
  verdictSchema,
} from '@stp/config/records';
import { proved, statement } from '@stp/config/testing';
import {
  type Candidate,
  type CheckOptions,
  certifyProofs,
  checkFile,
  type FileReport,
  type LeanEnvironment,
  markedProof,
  SECOND_KERNEL,
} from '@stp/lean-verifier';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { dedupeSamples } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { certifyActivity } from '../../activities/lean/certify.ts';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import type { Ports } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import type { Certified } from '../../activities/round/certified.ts';
import { keptName, keptText } from '../../activities/round/proofs-file.ts';
import { openStore } from '../../infra/stores/open-store.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const config = resolveConfig({ preset: 'smoke' });
let directory: string;
let store: ObjectStore;
const metrics: { readonly name: string; readonly value: number }[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-verify-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const portsWith = <Some extends Partial<Ports>>(more: Some) => ({
  store: async () => store,
  scratch: async () => directory,
  monitor: async () => ({
    log: async (some: readonly { name: string; value: number }[]) => void metrics.push(...some),
    finalise: async () => undefined,
  }),
  ...more,
});

describe('verifyShard', () => {
  const REASON = { severity: 'error', line: 1, column: 0, text: 'Unknown identifier `x`' } as const;
  const verify = async (
    origin: 'dataset' | 'canary',
    kindOf: (proof: string) => VerdictKind,
    set: Record<string, unknown> = {},
    texts: readonly string[] = ['p0', 'p1', 'p1', 'p2'],
  ) => {
    const one = statement('theorem a (n : Nat) : n = n');
    const raw = texts.map((text, seed) => ({
      statementId: one.id,
      index: seed,
      text,
      tokens: 1,
      logprob: 0,
      seed,
      finish: 'stop' as const,
    }));
    const samples = dedupeSamples(raw, 'm');
    const verifier = {
      environment: { version: 'test' },
      sandbox: { kind: 'none', description: 'a test' },
      check: async (candidates: readonly Candidate[], { explains }: CheckOptions) =>
        candidates.map(({ id, proof, ...one }) => ({
          id,
          kind: kindOf(proof),
          messages: explains?.({ id, proof, ...one }) === false ? [] : [REASON],
          premises: [],
          axioms: [],
          checkMs: 1,
          fromCache: false,
        })),
    };
    const activities = verifyShardActivity(portsWith({ verifier: async () => verifier as never }));
    const input = {
      run: 'test',
      name: 'rounds/0/shard-0',
      library: null,
      items: await writeRecords(store, 'items.jsonl', [{ statement: one, origin, samples: texts.length }]),
      sampled: {
        samples: await writeRecords(store, 'samples.jsonl', samples),
        sampleCount: texts.length,
        distinctCount: new Set(texts).size,
        tokens: texts.length,
      },
      config: resolveConfig({ preset: 'smoke', set }),
    };
    return new MockActivityEnvironment().run(activities.verifyShard, input);
  };

  it('counts verdicts with multiplicity', async () => {
    const result = await verify('dataset', (proof) => (proof === 'p1' ? 'proved' : 'rejected'));
    expect(result).toMatchObject({ verdictCounts: { proved: 2, rejected: 2 }, provedStatements: 1, sampleCount: 4 });
  });
  it('asks of a tenth of the samples why they fail, of all where they are revised, and counts unknown names by these', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `p${index}`);
    const explainedOf = async (set: Record<string, unknown>) => {
      metrics.length = 0;
      await rm(join(directory, 'store'), { recursive: true, force: true });
      const { verdicts } = (await verify('dataset', () => 'rejected', set, texts)) as ShardResult;
      const explained = (await readAll(store, verdicts, verdictSchema)).filter(({ messages }) => messages.length > 0);
      expect(metrics.find(({ name }) => name.endsWith('samples_with_unknown_name'))).toMatchObject({ value: 200 });
      return explained.map(({ sampleId }) => sampleId);
    };
    const tenth = await explainedOf({});
    expect(tenth.length).toBeGreaterThan(5);
    expect(tenth.length).toBeLessThan(45);
    expect(await explainedOf({})).toEqual(tenth);
    const revises = { 'prover.mode': 'revise', 'prover.format': 'deepseek-prover-v2', 'prover.slots': false };
    expect(await explainedOf(revises)).toHaveLength(200);
    expect(await explainedOf({ ...revises, 'verification.explainedShare': 0.1 })).toEqual(tenth);
  });
  it('stops at a proved canary', async () => {
    await expect(verify('canary', (proof) => (proof === 'p2' ? 'proved' : 'rejected'))).rejects.toMatchObject({
      code: 'STP1701',
      retryable: false,
    });
  });
  it('does not take a Lean that cannot run for a verdict', async () => {
    await expect(verify('dataset', (proof) => (proof === 'p0' ? 'infra' : 'rejected'))).rejects.toMatchObject({
      code: 'STP1702',
      retryable: true,
    });
  });
});

/** The report on a file that Lean read to its end. */
const REST = {
  exit: 'finished',
  messages: [],
  reason: '',
  leanVersion: 'test',
  fingerprint: 'library',
  libraryHasProofs: true,
  checks: [{ by: 'lean', version: 'test', outcome: 'accepted', ms: 5 }],
  sandbox: { kind: 'none', description: 'a test' },
  memory: { bytesMax: 1_000, peakBytes: 10 },
} as const satisfies Partial<FileReport>;

describe('certify', () => {
  const proofs: Proved[] = Array.from({ length: 9 }, (_, index) =>
    proved(`theorem a (n : Nat) : n + ${index} = n`, `p${index}`, { certificate: null }),
  );
  /** As the real check: a file with a bad proof makes no module, so all others in it cannot be judged. */
  const checker =
    (isBad: (proof: Proved) => boolean, files: number[]) =>
    async (_run: string, path: string): Promise<FileReport> => {
      const text = await readFile(path, 'utf8');
      const own = proofs.filter((proof) => text.includes(keptName(proof).replace('Kept.', '')));
      files.push(own.length);
      const spoilt = own.some(isBad);
      const theorems = own.map((proof) => ({
        name: keptName(proof),
        verdict: isBad(proof) ? ('rejected' as const) : spoilt ? ('unchecked' as const) : ('accepted' as const),
        line: 1,
        column: 0,
        message: '',
        axioms: [],
      }));
      return {
        path,
        outcome: spoilt ? 'rejected' : 'accepted',
        theorems,
        ...REST,
      };
    };
  const certify = async (checkFile: Ports['checkFile']) => {
    const activities = certifyActivity(portsWith({ checkFile }));
    const input = {
      run: 'test',
      name: 'rounds/0',
      proved: await writeRecords(store, 'found.jsonl', proofs),
      library: null,
      config,
    };
    return (await new MockActivityEnvironment().run(activities.certify, input)) as Certified;
  };

  it('keeps all that hold in one go', async () => {
    const files: number[] = [];
    const result = await certify(checker(() => false, files));
    expect(result).toMatchObject({ certified: 9, refused: 0 });
    expect(files).toEqual([9]);
    const kept = await readAll(store, result.proved, provedSchema);
    expect(kept.map((proof) => proof.certificate?.fingerprint)).toEqual(proofs.map(() => 'library'));
    expect(kept.map(({ certificate: _, ...proof }) => proof)).toEqual(
      proofs.map(({ certificate: _, ...proof }) => proof),
    );
  });
  const lemma = (name: string) => ({
    ...{
      name,
      round: 0,
      generation: 0,
      statementId: name,
      header: null,
      statement: 'theorem l : 1 = 1',
      proof: 'rfl',
    },
    ...{ premises: [], marks: ['simp' as const] },
  });
  const library = [lemma('Grown.g1'), lemma('Grown.g2')];
  /** Proofs that open all marks, and rest on one lemma each as their records say. */
  const resting = (...restsOn: readonly string[]): Proved[] =>
    restsOn.map((name, index) => ({
      ...proofs[index]!,
      proof: markedProof(`p${index}`, 'Grown.marked2'),
      restsOn: [name],
    }));
  it('looks first below the grown theorems that the proofs rest on; what fails there, below all that are marked', async () => {
    const over = resting('Grown.g1', 'Grown.g1', 'Grown.g1');
    const looks: [lemmas: number, proofs: number][] = [];
    /** The second proof needs what its record does not say. */
    const check = async (text: string): Promise<FileReport> => {
      const lemmas = text.match(/^theorem g\d/gm)!.length;
      const own = over.filter((proof) => text.includes(keptName(proof).replace('Kept.', '')));
      looks.push([lemmas, own.length]);
      const spoilt = lemmas === 1 && own.includes(over[1]!);
      const verdictOn = (proof: Proved) => (!spoilt ? 'accepted' : proof === over[1] ? 'rejected' : 'unchecked');
      const theorems = own.map((proof) => ({
        ...{ name: keptName(proof), verdict: verdictOn(proof) as 'accepted', line: 1, column: 0, message: '' },
        axioms: [],
      }));
      return { path: '', outcome: spoilt ? 'rejected' : 'accepted', theorems, ...REST };
    };
    const findings = await certifyProofs(over.map(keptText), check, library);
    expect(findings.map(({ certified }) => certified)).toEqual([true, true, true]);
    expect(looks).toEqual([
      [1, 3],
      [1, 2],
      [2, 1],
    ]);
    const lemmasAbove = findings.map((finding) => finding.certified && finding.lemmas);
    expect(lemmasAbove).toEqual(['used', 'marked', 'used']);
  });

  it('judges what is left of proofs that rest on all lemmas together below all of them, too', async () => {
    const [bad, needy] = resting('Grown.g1', 'Grown.g2') as [Proved, Proved];
    /** The second one needs both lemmas, though it rests on one. */
    const check = async (text: string): Promise<FileReport> => {
      const lemmas = text.match(/^theorem g\d/gm)!.length;
      const own = [bad, needy].filter((proof) => text.includes(keptName(proof).replace('Kept.', '')));
      const spoilt = own.includes(bad) || lemmas < 2;
      const verdictOn = (proof: Proved) =>
        proof === bad || lemmas < 2 ? 'rejected' : spoilt ? 'unchecked' : ('accepted' as const);
      const theorems = own.map((proof) => ({
        ...{ name: keptName(proof), verdict: verdictOn(proof) as 'accepted', line: 1, column: 0, message: '' },
        axioms: [],
      }));
      return { path: '', outcome: spoilt ? 'rejected' : 'accepted', theorems, ...REST };
    };
    const findings = await certifyProofs([bad, needy].map(keptText), check, library);
    expect(findings.map(({ certified }) => certified)).toEqual([false, true]);
  });

  it('blames nobody where Lean comes to no end below few lemmas', async () => {
    const over = resting('Grown.g1', 'Grown.g1');
    const check = async (text: string): Promise<FileReport> => {
      if (text.match(/^theorem g\d/gm)!.length === 1)
        return { path: '', outcome: 'unchecked', theorems: [], ...REST, exit: 'deadline' };
      const theorems = over.map((proof) => ({
        ...{ name: keptName(proof), verdict: 'accepted' as const, line: 1, column: 0, message: '' },
        axioms: [],
      }));
      return { path: '', outcome: 'accepted', theorems, ...REST };
    };
    const findings = await certifyProofs(over.map(keptText), check, library);
    expect(findings.map((finding) => finding.certified && finding.lemmas)).toEqual(['used', 'used']);
  });

  it('says in the certificate what was checked, by what and where', async () => {
    const result = await certify(checker(() => false, []));
    const [first] = await readAll(store, result.proved, provedSchema);
    expect(first!.certificate).toMatchObject({
      claim: 'kernel-checked',
      statementHash: sha256(first!.statement),
      proofHash: sha256(first!.proof),
      checks: REST.checks,
      sandbox: REST.sandbox,
      memory: REST.memory,
      times: { compileMs: 5, objectMs: 0, checksMs: 0 },
    });
  });
  it('refuses what does not hold, and only that', async () => {
    const result = await certify(checker((proof) => proof === proofs[4] || proof === proofs[7], []));
    expect(result).toMatchObject({ certified: 7, refused: 2 });
  });
  it('gives no certificate from a file in which a check has objected to another proof', async () => {
    const files: number[] = [];
    const plain = checker(() => false, files);
    const result = await certify(async (run, path) => {
      const report = await plain(run, path);
      const named = keptName(proofs[2]!);
      if (!report.theorems.some(({ name }) => name === named)) return report;
      const theorems = report.theorems.map((one) =>
        one.name === named ? { ...one, verdict: 'rejected' as const } : one,
      );
      const refusal = { by: 'statement identity', version: 'test', outcome: 'refused' as const, ms: 1 };
      return { ...report, outcome: 'rejected', theorems, checks: [...report.checks, refusal] };
    });
    expect(result).toMatchObject({ certified: 8, refused: 1 });
    expect(files).toEqual([9, 8]);
    const kept = await readAll(store, result.proved, provedSchema);
    expect(
      kept.flatMap(({ certificate }) => certificate!.checks!).filter(({ outcome }) => outcome !== 'accepted'),
    ).toEqual([]);
  });
  it.each([
    ['a theorem by its name', true],
    ['the module alone', false],
  ])('counts the proofs over which two kernels disagree, where the second one refuses %s', async (_, isNamed) => {
    const files: number[] = [];
    const plain = checker(() => false, files);
    const bad = new Set([keptName(proofs[2]!), keptName(proofs[6]!)]);
    const result = await certify(async (run, path) => {
      const report = await plain(run, path);
      const control = /theorem (control)\b/.exec(await readFile(path, 'utf8'))?.[1];
      if (control !== undefined) {
        const accepted = { verdict: 'accepted' as const, line: 1, column: 0, message: '', axioms: [] };
        return { ...report, theorems: [{ ...accepted, name: `Kept.${control}` }] };
      }
      if (!report.theorems.some(({ name }) => bad.has(name))) return report;
      const refused = {
        refusedBy: [SECOND_KERNEL.name],
        verdict: isNamed ? ('rejected' as const) : ('unchecked' as const),
      };
      const theorems = report.theorems.map((one) => (!isNamed || bad.has(one.name) ? { ...one, ...refused } : one));
      const refusal = { by: SECOND_KERNEL.name, version: '1', outcome: 'refused' as const, ms: 1 };
      return { ...report, outcome: 'rejected', theorems, checks: [...report.checks, refusal] };
    });
    expect(result).toMatchObject({ certified: 7, refused: 2, disagreements: 2 });
  });
  it('does not check again what an attempt that failed later has certified', async () => {
    const many = Array.from({ length: 301 }, (_, index) =>
      proved(`theorem b (n : Nat) : n + ${index} = n`, `q${index}`, { certificate: null }),
    );
    const files: number[] = [];
    const input = {
      run: 'test',
      name: 'rounds/0',
      proved: await writeRecords(store, 'many.jsonl', many),
      library: null,
      config,
    };
    const attempt = (fails: boolean) => {
      const checkFile: Ports['checkFile'] = async (_run, path) => {
        const text = await readFile(path, 'utf8');
        const own = many.filter((proof) => text.includes(keptName(proof).replace('Kept.', '')));
        files.push(own.length);
        if (fails && own.length === 1) throw new Error('the worker was killed');
        const accepted = { verdict: 'accepted' as const, line: 1, column: 0, message: '', axioms: [] };
        const theorems = own.map((proof) => ({ ...accepted, name: keptName(proof) }));
        return { path, outcome: 'accepted', theorems, ...REST };
      };
      return new MockActivityEnvironment().run(certifyActivity(portsWith({ checkFile })).certify, input);
    };
    await expect(attempt(true)).rejects.toThrow('the worker was killed');
    const result = (await attempt(false)) as Certified;
    // Two batches at once: which of them is checked first, nobody knows.
    expect(files.toSorted((a, b) => a - b)).toEqual([1, 1, 300]);
    expect(result).toMatchObject({ certified: 301, refused: 0 });
    expect((await readAll(store, result.proved, provedSchema)).map((proof) => proof.proof)).toEqual(
      many.map((proof) => proof.proof),
    );
  });
  /** A Lean that never finishes files for which `ends` is false. */
  const mute =
    (how: FileReport['exit'], ends: (text: string) => boolean, files: number[] = []): Ports['checkFile'] =>
    async (run, path) => {
      const text = await readFile(path, 'utf8');
      const report = await checker(() => false, files)(run, path);
      if (!ends(text)) return { ...report, outcome: 'unchecked', theorems: [], exit: how, reason: `${how}` };
      const control = /^theorem (control)\b/m.exec(text)?.[1];
      if (control === undefined) return report;
      const accepted = { verdict: 'accepted' as const, line: 1, column: 0, message: '', axioms: [] };
      return { ...report, theorems: [{ ...accepted, name: `Kept.${control}` }] };
    };
  it.each(['deadline', 'memory', 'crashed', 'output'] as const)(
    'refuses the one proof over which Lean has no end (%s), and keeps the others',
    async (how) => {
      const bad = keptName(proofs[4]!).replace('Kept.', '');
      const files: number[] = [];
      const result = await certify(mute(how, (text) => !text.includes(bad), files));
      expect(result).toMatchObject({ certified: 8, refused: 1 });
      expect(files.slice(0, 3)).toEqual([9, 5, 3]);
    },
  );
  it('cuts a file that is too large to be read', async () => {
    const result = await certify(mute(null, (text) => (text.match(/^theorem /gm) ?? []).length < 3));
    expect(result).toMatchObject({ certified: 9, refused: 0 });
  });
  it('refuses nothing when Lean gives no verdict at all', async () => {
    await expect(certify(mute('memory', () => false))).rejects.toMatchObject({ code: 'STP1203', retryable: true });
    expect(await store.stat('rounds/0/certified.json')).toBeNull();
  });
  it('refuses nothing, and cuts nothing, when Lean cannot be started', async () => {
    const files: number[] = [];
    await expect(certify(mute('not-started', () => false, files))).rejects.toMatchObject({ code: 'STP1203' });
    expect(files).toEqual([9]);
  });
  it('gives Lean the memory that the screen gives a proof', async () => {
    let limits: unknown;
    const check = checker(() => false, []);
    await certify(async (run, path, given) => {
      limits = given;
      return check(run, path);
    });
    expect(limits).toEqual(config.verification);
  });
  it('finds with real Lean what fails below the theorems that it rests on, and keeps the others below those', async () => {
    const environment = await coreEnvironment();
    const lemma = (place: number, statement: string) => ({
      ...{
        name: `Grown.g${place}`,
        round: 0,
        generation: 0,
        statementId: `${place}`,
        header: 'import Init',
        statement,
      },
      ...{ proof: 'omega', premises: [], marks: ['simp' as const] },
    });
    const library = [
      lemma(1, 'theorem a (n : Nat) : (n + 7) - 7 - n = 0'),
      lemma(2, 'theorem b (n : Nat) : (n + 9) - 9 - n = 0'),
    ];
    const over = [7, 9, 7].map((number, index) =>
      proved(
        `theorem c (n : Nat) : ((n + ${number}) - ${number} - n) + ${index} = ${index}`,
        markedProof(`simp only [Grown.g${number === 7 ? 1 : 2}, Nat.zero_add]`, 'Grown.marked2'),
        { header: 'import Init', certificate: null, restsOn: ['Grown.g1'] },
      ),
    );
    const looks: number[] = [];
    const path = join(directory, 'Blamed.lean');
    const findings = await certifyProofs(
      over.map(keptText),
      async (text, certificate) => {
        looks.push(over.filter((proof) => text.includes(keptName(proof).replace('Kept.', ''))).length);
        await writeFile(path, text);
        return checkFile(path, environment, { scratchDirectory: directory, certificate });
      },
      library,
    );
    expect(looks).toEqual([3, 2, 1]);
    expect(findings.map((finding) => finding.certified && finding.lemmas)).toEqual(['used', 'marked', 'used']);
  });
  it('tells with real Lean whether the proof is to blame or Lean: about five seconds of a core', {
    tags: ['slow'],
  }, async () => {
    const environment = await coreEnvironment();
    const real =
      (environmentOfFile: LeanEnvironment): Ports['checkFile'] =>
      (_run, path) =>
        checkFile(path, environmentOfFile, { scratchDirectory: directory, memoryBytesMax: 600_000_000 });
    const made = (statementText: string, proof: string) =>
      proved(statementText, proof, { header: 'import Init', certificate: null });
    const endless = made('theorem e : (List.range 100000000).length = 3', 'decide +kernel');
    const one = made('theorem f (n : Nat) : n = n', 'rfl');
    const input = {
      run: 'test',
      name: 'rounds/1',
      proved: await writeRecords(store, 'real.jsonl', [one, endless]),
      library: null,
      config,
    };
    const attempt = (checkFilePort: Ports['checkFile']) =>
      new MockActivityEnvironment().run(certifyActivity(portsWith({ checkFile: checkFilePort })).certify, input);
    const broken = { ...environment, executable: '/bin/false' };
    await expect(attempt(real(broken))).rejects.toMatchObject({ code: 'STP1203' });
    expect(await attempt(real(environment))).toMatchObject({ certified: 1, refused: 1 });
  });
});
