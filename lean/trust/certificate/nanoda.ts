/** `nanoda_bin`: a kernel by other people in another language reads the export. An axiom that is not allowed refuses it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STANDARD_AXIOMS } from '../verdict/axioms.ts';
import type { Checker } from './checker.ts';
import { exportTheorems } from './export.ts';
import { EXPORTER, findTool, NANODA } from './find-tools.ts';
import { answerOf, programVersion, runTool } from './run-tool.ts';

/** A Rust program that gives up (`panic`) ends with it; nanoda does so where a declaration does not check. */
const RUST_PANIC = 101;

export const nanoda: Checker = {
  name: 'nanoda',
  async version(place) {
    const exporter = await programVersion(await findTool(EXPORTER, place));
    const kernel = await programVersion(await findTool(NANODA, place));
    return exporter === null || kernel === null ? null : `${kernel}, export ${exporter}`;
  },
  async check(file) {
    const program = await findTool(NANODA, file.place);
    if (program === null) return { outcome: 'failed', detail: 'it is gone' };
    const exported = await exportTheorems(file, file.module, 'proofs');
    if (exported.problem !== undefined) return exported.problem;
    const configuration = join(file.scratchDirectory, 'nanoda.json');
    const options = {
      export_file_path: exported.path,
      use_stdin: false,
      permitted_axioms: [...STANDARD_AXIOMS],
      unpermitted_axiom_hard_error: true,
      nat_extension: true,
      string_extension: true,
    };
    await writeFile(configuration, JSON.stringify(options));
    const exit = await runTool(file, {
      command: [program, configuration],
      readOnly: [file.scratchDirectory],
      workingDirectory: file.scratchDirectory,
    });
    return answerOf(exit, { refuses: [1, RUST_PANIC] });
  },
};
