/** `node tools/bench/gpu/main.ts prepare FOLDER`: see README.md in this folder. */
import { prepareLease } from './prepare.ts';

const [command, folder] = process.argv.slice(2);
if (command === 'prepare') await prepareLease(folder!, process.env.STP_PYTHON ?? 'python3');
