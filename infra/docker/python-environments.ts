/**
 * Prints the shell commands that make the pinned Python environments of a kind of node (`infra/bootstrap/locks/`) for
 * the image, in the folders that the start-up script of nodes uses. Argument: the kind, `tpu` or `gpu`.
 */
import { type NodeKind, readLock, readPins } from '../bootstrap/script.ts';

const FOLDER = '/opt/stp';

export function environmentCommands(kind: NodeKind): string[] {
  const { python, environments } = readPins();
  const made = Object.entries(environments).filter(([, { kinds }]) => kinds.includes(kind));
  return [
    `python3 -m venv ${FOLDER}/uv`,
    `${FOLDER}/uv/bin/pip install --no-cache-dir uv==${python.uv}`,
    ...made.flatMap(([name]) => [
      `UV_PYTHON_INSTALL_DIR=${FOLDER}/python ${FOLDER}/uv/bin/uv venv --python ${python.version} ${FOLDER}/venv/${name}`,
      `${FOLDER}/uv/bin/uv pip install --no-cache --no-deps --prerelease allow --python ${FOLDER}/venv/${name}/bin/python ${readLock(name).join(' ')}`,
    ]),
  ];
}

if (import.meta.main) {
  const [kind] = process.argv.slice(2);
  if (kind !== 'gpu' && kind !== 'tpu') {
    console.error('Which kind of node: gpu or tpu?');
    process.exitCode = 2;
  } else console.log(environmentCommands(kind).join('\n'));
}
