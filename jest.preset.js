/**
 * The one Jest preset. Tests read the TypeScript sources of every library (condition `@pets/source`), so no build
 * is needed before a test. Jest runs with `--experimental-vm-modules` (set in nx.json and by `npm test`), since all code is
 * ESM.
 */
export default {
  testEnvironment: 'node',
  // Above the limits of the waits inside tests, so that a wait that gives up says what it waited for.
  testTimeout: 30_000,
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { configFile: new URL('.swcrc', import.meta.url).pathname }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@pets/source', 'node', 'node-addons'] },
  testMatch: ['**/src/**/*.spec.ts', '**/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/out-tsc/'],
};
