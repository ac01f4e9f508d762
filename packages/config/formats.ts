/**
 * Prompt formats: the files `data/formats/NAME.json`, and the custom format of a configuration. Each file is read
 * once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { type FormatName, type PromptFormat, promptFormatSchema } from './schemas/prompt-format.ts';

const FORMATS_DIRECTORY = join(import.meta.dirname, '../../data/formats');
const read = new Map<string, PromptFormat>();

/** Loads a format of this repository. Throws STP1001 if its file is damaged. */
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

/** The settings of a configuration that name its prompt format. With slots the format is always `embedded`. */
interface Prompts {
  readonly slots?: boolean;
  readonly format?: FormatName;
  readonly customFormat?: PromptFormat | null;
}

export function formatOf({ format = 'embedded', customFormat = null }: Prompts): PromptFormat {
  if (format !== 'custom') return loadFormat(format);
  if (customFormat !== null) return customFormat;
  throw new StpError('STP1001', 'prover.format is custom, and prover.customFormat is missing', CUSTOM_ADVICE);
}

const CUSTOM_ADVICE =
  'Give the whole format in a file: --config FILE with {"prover": {"format": "custom", "customFormat": {…}}}. docs/models.md has an example.';
