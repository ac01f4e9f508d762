/** The tests' Google Cloud Storage in a process of its own: prints its address, ends with its standard input. */
import { startFakeGcs } from '../../test/fakes/gcs.ts';

const fake = await startFakeGcs(['bucket']);
console.log(fake.endpoint);
process.stdin.on('end', () => process.exit(0)).resume();
