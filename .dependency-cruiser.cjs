/** Who may import whom: the layout of ARCHITECTURE.md as rules. `test/tooling/rules.test.ts` proves that they fire. */
const above = {
  data: [
    'lean',
    'model',
    'infra',
    'selfplay',
    'suggest',
    'judge',
    'activities',
    'workflows',
    'workers',
    'cli',
    'tools',
  ],
  lean: ['model', 'infra', 'selfplay', 'suggest', 'judge', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  model: ['lean', 'infra', 'selfplay', 'suggest', 'judge', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  infra: ['lean', 'model', 'selfplay', 'suggest', 'judge', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  selfplay: ['lean', 'model', 'infra', 'judge', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  suggest: ['infra', 'judge', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  judge: ['lean', 'suggest', 'activities', 'workflows', 'workers', 'cli', 'tools'],
  activities: ['suggest', 'workflows', 'workers', 'cli', 'tools'],
  workers: ['suggest', 'cli', 'tools'],
  cli: ['tools'],
};

/** Pure readers of text that a folder may take from above it. */
const shared = { selfplay: '^lean/trust/screen/tokenizer\\.ts$' };

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(above).map(([folder, forbidden]) => ({
      name: `${folder}-imports-nothing-above`,
      severity: 'error',
      from: { path: `^(test/fixtures/boundaries/)?${folder}/` },
      to: { path: `^(test/fixtures/boundaries/)?(${forbidden.join('|')})/`, pathNot: shared[folder] },
    })),
    {
      name: 'workflows-are-deterministic',
      comment: 'Workflows take types from below, and code only from schemas and the SDK.',
      severity: 'error',
      from: { path: '^(test/fixtures/boundaries/)?workflows/' },
      to: {
        path: '^(test/fixtures/boundaries/)?(lean|model|infra|selfplay|judge|activities|workers|cli|data)/',
        pathNot: '^data/schemas/(run-config|round|records|artifact|heartbeats)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'special-names-stay-together',
      comment: 'The kernel believes a special constant for checked facts; only lean/kernel/special/ knows such names.',
      severity: 'error',
      from: { path: '^(test/fixtures/boundaries/)?lean/kernel/(?!special/)' },
      to: { path: '^lean/kernel/special/names\\.ts$' },
    },
    {
      name: 'workflows-use-no-node',
      severity: 'error',
      from: { path: '^(test/fixtures/boundaries/)?workflows/' },
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
    },
  },
};
