/** Prompt formats: the files `data/formats/NAME.json`, and the one that a configuration holds. Each is read and checked once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { type FormatName, type PromptFormat, promptFormatSchema } from './schemas/prompt-format.ts';

const FORMATS_DIRECTORY = join(import.meta.dirname, '../../data/formats');
const read = new Map<string, PromptFormat>();

/** A format of this repository. STP1001 where its file is damaged. */
export function loadFormat(name: Exclude<FormatName, 'custom'>): PromptFormat {
  const known = read.get(name);
  if (known !== undefined) return known;
  const path = join(FORMATS_DIRECTORY, `${name}.json`);
  const parsed = promptFormatSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success || parsed.data.name !== name)
    throw new StpError(
      'STP1001',
      `${path} is not the prompt format ${name}${parsed.success ? '' : `: ${describeIssues(parsed.error)}`}`,
      'Restore the file.',
    );
  read.set(name, parsed.data);
  return parsed.data;
}

/** Where a configuration says the format of its model: with slots it is `embedded`. */
interface Prompts {
  readonly slots?: boolean;
  readonly format?: FormatName;
  readonly customFormat?: PromptFormat | null;
}

/** The format of a run's model. */
export function formatOf({ format = 'embedded', customFormat = null }: Prompts): PromptFormat {
  if (format !== 'custom') return loadFormat(format);
  if (customFormat !== null) return customFormat;
  throw new StpError('STP1001', 'prover.format is custom, and prover.customFormat is missing', CUSTOM_ADVICE);
}

const CUSTOM_ADVICE =
  'Give the whole format in a file: --config FILE with {"prover": {"format": "custom", "customFormat": {…}}}. docs/models.md has an example.';
