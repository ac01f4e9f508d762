/** Who may import whom: the layout of ARCHITECTURE.md as rules. `test/tooling/rules.process.test.ts` proves that they fire. */

/** The deliberately bad files of `test/fixtures/boundaries` stand where the folders of the repository stand. */
const ROOT = '(?:test/fixtures/boundaries/)?';
/** Tests, and what tests and benches share; the rules for production code leave them out. */
const TESTS = '(?:\\.(?:test|slow)\\.ts$|/testing/|/testing(?:-hooks)?\\.ts$)';

/** The packages, and which of them each may import. An arrow runs down only: nobody is named above itself. */
const PACKAGES = {
  base: [],
  'lean-text': [],
  'lean-kernel': [],
  http: ['base'],
  config: ['base', 'lean-text'],
  datasets: ['base', 'lean-text', 'config'],
  'lean-verifier': ['base', 'lean-text', 'lean-kernel', 'http', 'config'],
  'lean-explore': ['base', 'lean-text', 'lean-kernel', 'config', 'lean-verifier'],
  'language-model': ['base', 'http', 'config'],
  selfplay: ['base', 'lean-text', 'config'],
  judge: ['base', 'http', 'config', 'datasets', 'language-model', 'selfplay'],
  editor: ['base', 'lean-text', 'http', 'config', 'lean-verifier', 'lean-explore', 'language-model', 'selfplay'],
  mcp: ['base', 'lean-text', 'http', 'config', 'lean-verifier', 'lean-explore', 'editor'],
};
const TOP = ['infra', 'activities', 'workflows', 'workers', 'cli', 'tools'];

/** The folders on top, and which of them each may not import. */
const ABOVE = {
  infra: ['activities', 'workflows', 'workers', 'cli', 'tools', 'packages/(?!base/|config/)'],
  activities: ['workflows', 'workers', 'cli', 'tools', 'packages/(?:editor|judge|mcp)'],
  workflows: ['workers', 'cli', 'tools'],
  workers: ['cli', 'tools', 'packages/(?:editor|mcp)'],
  cli: ['tools'],
};

/** The entries of each package: what its package.json exports. The one in Python has none. */
const { existsSync, readdirSync } = require('node:fs');
const NAMES = readdirSync('packages').filter((name) => existsSync(`packages/${name}/package.json`));
const ENTRIES = NAMES.flatMap((name) =>
  Object.values(require(`./packages/${name}/package.json`).exports).map((path) => `packages/${name}/${path.slice(2)}`),
);

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(PACKAGES).map(([name, allowed]) => ({
      name: `${name}-imports-nothing-above`,
      severity: 'error',
      from: { path: `^${ROOT}packages/${name}/`, pathNot: TESTS },
      to: {
        path: `^${ROOT}(?:packages/|${TOP.join('/|')}/|test/)`,
        pathNot: `^${ROOT}packages/(?:${[name, ...allowed].join('|')})/|^test/fixtures/boundaries/packages/${name}/`,
      },
    })),
    {
      name: 'tests-of-packages-import-no-application',
      comment: 'Tests of a package may use helpers of other packages and of test/, and the stores of infra/.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(?:activities|workflows|workers|cli|tools)/' },
    },
    {
      name: 'packages-have-one-entry',
      comment:
        'From outside a package nobody reaches past what its package.json exports: index.ts, and few named entries.',
      severity: 'error',
      from: { path: `^${ROOT}(packages/[^/]+|[^/]+)/` },
      to: {
        path: `^${ROOT}packages/[^/]+/`,
        pathNot: `^${ROOT}$1/|^${ROOT}(?:${ENTRIES.join('|').replaceAll('.', '\\.')})$`,
      },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: `^${ROOT}`, pathNot: `^(?:test|tools)/(?!fixtures)|${TESTS}` },
      to: { path: `^${ROOT}packages/[^/]+/testing` },
    },
    {
      name: 'lean-kernel-has-no-dependency',
      severity: 'error',
      from: { path: `^${ROOT}packages/lean-kernel/`, pathNot: TESTS },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'special-names-stay-together',
      comment: 'The kernel believes a special constant for checked facts; only its folder special/ knows such names.',
      severity: 'error',
      from: { path: `^${ROOT}packages/lean-kernel/(?!special/)`, pathNot: TESTS },
      to: { path: '^packages/lean-kernel/special/names\\.ts$' },
    },
    {
      name: 'schemas-use-no-node',
      comment: 'What workflows bundle; statement hashes (`ids.ts`) are for everyone else.',
      severity: 'error',
      from: {
        path: '^packages/(?:config/schemas/|base/(?:describe-issues|edit-distance|errors|map-concurrently|printable|semaphore)\\.ts)',
        pathNot: `ids\\.ts$|${TESTS}`,
      },
      to: { dependencyTypes: ['core'] },
    },
    ...Object.entries(ABOVE).map(([folder, forbidden]) => ({
      name: `${folder}-imports-nothing-above`,
      severity: 'error',
      from: { path: `^${ROOT}${folder}/` },
      to: { path: `^${ROOT}(?:${forbidden.map((name) => (name.includes('packages') ? name : `${name}/`)).join('|')})` },
    })),
    {
      name: 'activities-stand-alone',
      comment:
        'The folders of the task queues hold activities and nothing that others use; what activities share lies beside them.',
      severity: 'error',
      from: { path: `^${ROOT}activities/(?!index\\.ts$)` },
      to: { path: `^${ROOT}activities/(?:control|lean|host|every-node)/` },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'Workflows take types from below, and code only from schemas, helpers without Node, and the SDK.',
      severity: 'error',
      from: { path: `^${ROOT}workflows/` },
      to: {
        path: `^${ROOT}(?:packages|infra|activities)/`,
        pathNot: '^packages/(?:config/workflow|base/index)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflows-use-no-node',
      severity: 'error',
      from: { path: `^${ROOT}workflows/` },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
