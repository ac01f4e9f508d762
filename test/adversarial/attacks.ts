/** Reads the attack folders beside this file: one attack each, `candidate.json` and, for whole files, `file.lean`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const attackSchema = z.discriminatedUnion('checks', [
  z.strictObject({
    checks: z.literal('proof'),
    note: z.string(),
    header: z.string().nullable(),
    statement: z.string(),
    proof: z.string(),
    /** Lean itself takes it for a proof, in the form it came: the screen keeps it out, and after it the second kernel. */
    leanAccepts: z.boolean().default(false),
    expected: z.enum(['forbidden', 'sorry', 'rejected', 'timeout', 'header_error']),
  }),
  z.strictObject({
    checks: z.literal('statement'),
    note: z.string(),
    header: z.string().nullable(),
    statement: z.string(),
    expected: z.enum(['forbidden', 'rejected', 'header_error']),
  }),
  /** Text that a candidate that runs code could write where the driver reads Lean's output, before Lean writes anything. */
  z.strictObject({
    checks: z.literal('protocol'),
    note: z.string(),
    driver: z.enum(['json', 'server']),
    writes: z.array(z.string()).min(1),
  }),
  z.strictObject({ checks: z.literal('file'), note: z.string(), expected: z.enum(['rejected', 'unchecked']) }),
]);
type Attack = z.infer<typeof attackSchema>;
type Named<Kind extends Attack['checks']> = Extract<Attack, { checks: Kind }> & { name: string; folder: string };

export function readAttacks<Kind extends Attack['checks']>(kind: Kind): Named<Kind>[] {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => {
    const folder = join(import.meta.dirname, name);
    const attack = attackSchema.parse(JSON.parse(readFileSync(join(folder, 'candidate.json'), 'utf8')));
    return attack.checks === kind ? [{ ...attack, name, folder } as Named<Kind>] : [];
  });
}
