import nx from '@nx/eslint-plugin';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Module boundaries: which project may import which. AGENTS.md says what each contains. */
const moduleBoundaries = [
  { sourceTag: 'type:async', onlyDependOnLibsWithTags: [], allowedExternalImports: ['lru-cache'] },
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [], allowedExternalImports: ['zod'] },
  { sourceTag: 'type:dns-providers', onlyDependOnLibsWithTags: [], allowedExternalImports: [] },
  {
    sourceTag: 'type:domain-setup',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:dns-providers'],
    allowedExternalImports: [],
  },
  {
    sourceTag: 'type:domains',
    onlyDependOnLibsWithTags: ['type:contracts'],
    bannedExternalImports: ['@nestjs/*', 'bullmq', 'kysely', 'pg', 'ioredis'],
  },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:async', 'type:contracts'] },
  { sourceTag: 'type:sites', onlyDependOnLibsWithTags: ['type:contracts', 'type:platform'] },
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: ['type:async'] },
  { sourceTag: 'type:dns', onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:domains'] },
  { sourceTag: 'type:persistence', onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:platform'] },
  { sourceTag: 'type:messaging', onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:platform'] },
  {
    sourceTag: 'type:testing',
    onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:platform'],
  },
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: [
      'type:async',
      'type:contracts',
      'type:domains',
      'type:messaging',
      'type:persistence',
      'type:platform',
      'type:sites',
      'type:testing',
      'type:tool',
    ],
  },
  {
    sourceTag: 'app:pets-api',
    onlyDependOnLibsWithTags: [
      'type:async',
      'type:contracts',
      'type:domains',
      'type:persistence',
      'type:messaging',
      'type:platform',
      'type:sites',
    ],
  },
  {
    sourceTag: 'app:domains-worker',
    onlyDependOnLibsWithTags: [
      'type:async',
      'type:contracts',
      'type:domains',
      'type:dns',
      'type:messaging',
      'type:platform',
    ],
    bannedExternalImports: ['kysely', 'pg'],
  },
  {
    sourceTag: 'app:edge',
    onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:domains', 'type:platform', 'type:sites'],
    bannedExternalImports: ['@nestjs/*', 'bullmq', 'kysely', 'pg', 'ioredis'],
  },
  {
    sourceTag: 'app:cli',
    onlyDependOnLibsWithTags: ['type:async', 'type:contracts', 'type:client', 'type:domains', 'type:dns'],
    bannedExternalImports: ['@nestjs/*', 'bullmq', 'kysely', 'pg', 'ioredis'],
  },
  {
    sourceTag: 'app:dashboard',
    onlyDependOnLibsWithTags: [
      'type:async',
      'type:contracts',
      'type:client',
      'type:dns-providers',
      'type:domain-setup',
    ],
    bannedExternalImports: ['@nestjs/*', 'bullmq', 'kysely', 'pg', 'ioredis', 'zod'],
  },
  {
    sourceTag: 'type:tests',
    onlyDependOnLibsWithTags: ['type:async', 'type:client', 'type:contracts', 'type:testing', 'type:tool'],
  },
];

/** Libraries are below the tools: their tests start servers, and no stack. */
const isLibrary = ({ sourceTag }) => !sourceTag.startsWith('app:') && !['type:tool', 'type:tests'].includes(sourceTag);

/** Tests may use the test kit whatever project they belong to. */
const moduleBoundariesOfTests = moduleBoundaries.map((boundary) => ({
  ...boundary,
  onlyDependOnLibsWithTags: [
    ...boundary.onlyDependOnLibsWithTags,
    'type:client',
    'type:testing',
    'type:persistence',
    // The texts of every issue, which the dashboard shows as the API sends them.
    ...(boundary.sourceTag === 'app:dashboard' ? ['type:domains'] : []),
    ...(isLibrary(boundary) ? [] : ['type:tool']),
  ],
  bannedExternalImports: undefined,
  allowedExternalImports: undefined,
}));

/** Few, so that what projects share is read and judged once; those of the dashboard and its element have the types of a browser. */
const programs = [
  'tsconfig.lint.json',
  'apps/dashboard/tsconfig.app.json',
  'apps/dashboard/tsconfig.spec.json',
  'libs/domain-setup/tsconfig.lib.json',
  'libs/domain-setup/tsconfig.spec.json',
];

const globalsOfNode = ['AbortSignal', 'Buffer', 'fetch', 'performance', 'process', 'setTimeout', 'URL'];

const restrictImports = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    { allow: [], banTransitiveDependencies: true, enforceBuildableLibDependency: false, depConstraints },
  ],
});

export default [
  // What is generated is checked against what it is generated from.
  { ignores: ['**/dist', '**/node_modules', '**/out-tsc', '.nx', '.data', 'libs/client/src/schema.ts'] },
  ...nx.configs['flat/base'],
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { project: programs, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...restrictImports(moduleBoundaries),
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings from the app’s validated configuration.' },
      ],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  // A pattern whose time grows faster than its text stops the event loop: what is matched comes from strangers.
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['libs/domains/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'Decisions are pure: no I/O here.' }] },
      ],
    },
  },
  {
    files: ['libs/domain-setup/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [{ name: '@pets/contracts', allowTypeImports: true, message: 'Its schemas would be in every page.' }],
        },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts'],
    rules: { ...restrictImports(moduleBoundariesOfTests), 'no-restricted-properties': 'off' },
  },
  // The places that read the environment: of services, of the command, and of benchmarks that another build runs in it.
  {
    files: ['libs/platform/src/config.ts', 'apps/cli/src/main.ts', 'tools/bench/src/against/other-build.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  // The peers of a benchmark are whole programs of a few lines, whose entities the library fills in.
  {
    files: ['tools/bench/src/api/peers/*.ts'],
    rules: { 'no-restricted-properties': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  // No compiler reads these.
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: Object.fromEntries(globalsOfNode.map((name) => [name, 'readonly'])) },
    rules: { 'no-undef': 'error', 'no-unused-vars': ['error', { ignoreRestSiblings: true }] },
  },
  // The preset is at the root, outside every project.
  { files: ['**/jest.config.js'], rules: { '@nx/enforce-module-boundaries': 'off' } },
];
