/** Folders get their name only when whole, also if the process that makes them is killed. Costs 3 s. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { leanFolder, makeWhole, withSetUpLock } from './set-up-folder.ts';

const MODULE = join(import.meta.dirname, 'set-up-folder.ts');

/** A process that starts a set-up, says so, and never ends by itself. */
function hangingSetUp(cacheDirectory: string) {
  const script = `
    import { writeFileSync } from 'node:fs';
    import { makeWhole, withSetUpLock } from ${JSON.stringify(MODULE)};
    await withSetUpLock(${JSON.stringify(cacheDirectory)}, () => {}, () =>
      makeWhole(${JSON.stringify(cacheDirectory)}, 'lean-1', async (folder) => {
        writeFileSync(folder + '/half', 'half');
        console.log('half-way');
        await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      }));`;
  return execa(process.execPath, ['--input-type=module', '--eval', script], { reject: false });
}

describe('makeWhole', () => {
  it('gives the name after the work, and replaces what had it', async () => {
    const cache = await temporaryFolder();
    for (const text of ['first', 'second']) {
      const folder = await makeWhole(cache, 'lean-1', async (work) => {
        expect(work).not.toContain('lean-1');
        await writeFile(join(work, 'file'), text);
      });
      expect(folder).toBe(join(leanFolder(cache), 'lean-1'));
      expect(await readFile(join(folder, 'file'), 'utf8')).toBe(text);
    }
    expect(await readdir(leanFolder(cache))).toEqual(['lean-1']);
  });

  it('leaves nothing where the work fails', async () => {
    const cache = await temporaryFolder();
    const work = makeWhole(cache, 'lean-1', async (folder) => {
      await writeFile(join(folder, 'half'), 'half');
      throw new Error('no space');
    });
    await expect(work).rejects.toThrow('no space');
    expect(await readdir(leanFolder(cache))).toEqual([]);
  });
});

describe('withSetUpLock', () => {
  it('lets one set-up in after the other', async () => {
    const cache = await temporaryFolder();
    const events: string[] = [];
    const { promise: bothWait, resolve } = Promise.withResolvers<void>();
    const enter = (name: string) =>
      withSetUpLock(
        cache,
        () => {
          events.push(`${name} waits`);
          if (events.filter((event) => event.endsWith('waits')).length === 2) resolve();
        },
        async () => {
          events.push(`${name} in`);
          await bothWait;
          // A process without the lock would have entered by then.
          await new Promise((after) => setTimeout(after, 50));
          events.push(`${name} out`);
        },
      );
    await Promise.all([enter('a'), enter('b'), enter('c')]);
    const inAndOut = events.filter((event) => !event.endsWith('waits'));
    for (let index = 0; index < inAndOut.length; index += 2) {
      expect(inAndOut[index + 1]).toBe(inAndOut[index]?.replace('in', 'out'));
    }
    expect(inAndOut).toHaveLength(6);
    expect(events.filter((event) => event.endsWith('waits'))).toHaveLength(2);
    expect(await readdir(leanFolder(cache))).toEqual([]);
  });

  it('is free again after a failure', async () => {
    const cache = await temporaryFolder();
    const fail = () => Promise.reject(new Error('failed'));
    await expect(withSetUpLock(cache, () => undefined, fail)).rejects.toThrow('failed');
    expect(
      await withSetUpLock(
        cache,
        () => undefined,
        async () => 'in',
      ),
    ).toBe('in');
  });

  it('ends the waiting when aborted', async () => {
    const cache = await temporaryFolder();
    const abort = new AbortController();
    await withSetUpLock(
      cache,
      () => undefined,
      async () => {
        const waiting = withSetUpLock(
          cache,
          () => abort.abort(new Error('enough')),
          async () => 'in',
          abort.signal,
        );
        await expect(waiting).rejects.toThrow('enough');
      },
    );
  });

  it('passes over a set-up that was killed, and removes its work', async () => {
    const cache = await temporaryFolder();
    const setUp = hangingSetUp(cache);
    const [line] = await once(setUp.stdout, 'data');
    expect(String(line)).toBe('half-way\n');
    expect(existsSync(join(leanFolder(cache), 'lean-1'))).toBe(false);
    setUp.kill('SIGKILL');
    await setUp;
    expect((await readdir(leanFolder(cache))).length).toBe(2); // its lock and its work
    const events: string[] = [];
    const left = await withSetUpLock(
      cache,
      () => events.push('waits'),
      () => readdir(leanFolder(cache)),
    );
    expect(events).toEqual([]);
    expect(left.filter((name) => name.startsWith('.set-up-'))).toEqual([]);
    expect(await readdir(leanFolder(cache))).toEqual([]);
  });

  it('leaves alone the work of a process that lives, and of another machine', async () => {
    const cache = await temporaryFolder();
    const names = [`.set-up-${hostname()}-${process.pid}-0011`, '.set-up-other-machine-1-0011'];
    for (const name of names) await mkdir(join(leanFolder(cache), name), { recursive: true });
    const old = new Date(Date.now() - 48 * 3_600_000);
    const abandoned = join(leanFolder(cache), '.set-up-other-machine-2-0022');
    await mkdir(abandoned);
    await utimes(abandoned, old, old);
    await withSetUpLock(
      cache,
      () => undefined,
      async () => undefined,
    );
    expect((await readdir(leanFolder(cache))).sort()).toEqual(names.sort());
  });
});
