/**
 * A Python for tests that runs scripts as they are, and in place of `-m levanter.main.train_lm` looks at the rows, logs some
 * steps as Levanter does, keeps a state, and exports the weights it was given. It behaves by files beside it: `fail` ends it at once, `hang`
 * has it wait, each once; with STP_SCRATCH set only on the machine whose scratch folder has the number in the file's name
 * (`fail-1`), and only machine 0 logs and exports.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { interpreter } from '../../../test/python/python.ts';

const SCRIPT = `#!/bin/sh
if [ "$1" != -m ]; then exec ${interpreter} "$@"; fi
exec ${interpreter} - "$4" "$0" <<'END'
import json, os, shutil, sys, time
here = os.path.dirname(sys.argv[2])
machine = os.path.basename(os.environ.get('STP_SCRATCH', ''))
text = open(sys.argv[1]).read()
def value(name):
    return next(line.split(': ', 1)[1] for line in text.split('\\n') if line.strip().startswith(name + ': '))
def once(name):
    path = os.path.join(here, name + ('-' + machine if machine else ''))
    if os.path.exists(path):
        os.remove(path)
        return True
    return False
rows = [line.strip()[2:] for line in text.split('\\n') if line.strip().endswith('.jsonl.gz')]
assert all(os.path.getsize(row) > 0 for row in rows)
shutil.copy(sys.argv[1], os.path.join(here, 'config' + machine + '.yaml'))
shutil.copy(rows[0], os.path.join(here, 'rows.jsonl.gz'))
state = os.path.join(value('base_path'), value('id'), 'step-4')
with open(os.path.join(here, 'starts'), 'a') as starts:
    starts.write(machine + (' goes on\\n' if os.path.exists(state) else ' begins\\n'))
for kept in (state, value('cache_dir')):
    os.makedirs(kept, exist_ok=True)
    with open(os.path.join(kept, 'part' + machine), 'w') as part:
        part.write('of Levanter')
if once('fail'):
    # Of several machines: not before the other hangs, as it would in the next attempt otherwise.
    while machine and os.path.exists(os.path.join(here, 'hang-0')):
        time.sleep(0.05)
    print('jaxlib.xla_extension.XlaRuntimeError: the slice was preempted', file=sys.stderr)
    sys.exit(1)
if once('hang'):
    time.sleep(600)
if machine not in ('', '0'):
    sys.exit(0)
steps = int(value('num_train_steps'))
for step in range(steps):
    metrics = {'train/loss': 4.0 - step / steps, 'grad/norm/total': 1.5, 'throughput/tokens_per_second': 100.0}
    if (step + 1) % int(value('steps_per_eval')) == 0:
        metrics['eval/loss'] = 3.5
    record = {'tracker': 'json_logger', 'event': 'log', 'step': step, 'metrics': metrics}
    print('I20261121 22:48:23 1 levanter.json_logger ' + json.dumps(record), file=sys.stderr)
target = os.path.join(value('hf_save_path'), value('id'), 'step-%d' % (steps - 1))
os.makedirs(target)
shutil.copy(os.path.join(value('initialize_from_hf'), 'model.safetensors'), target)
END
`;

/** Writes a stand-in for Levanter and returns its path. */
export async function standInForLevanter(folder: string): Promise<string> {
  const path = join(folder, 'python');
  await writeFile(path, SCRIPT);
  await chmod(path, 0o755);
  return path;
}
