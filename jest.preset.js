import { useMemoryForFolders } from './tools/jest/memory-folder.mjs';

const at = (path) => new URL(path, import.meta.url).pathname;

useMemoryForFolders();

/**
 * The one Jest preset. Tests read the TypeScript sources of every library, by Node's own loader (tools/jest), so that no
 * build is needed before a test and none runs on Jest's idea of a module.
 */
export default {
  testRunner: at('tools/jest/run-test-file.mjs'),
  testEnvironment: at('tools/jest/process-environment.mjs'),
  injectGlobals: false,
  transform: {},
  // Above the limits of the waits inside tests, so that a wait that gives up says what it waited for; and enough for hooks that
  // start servers on a machine with five times as much work as it can do.
  testTimeout: 180_000,
  testMatch: ['**/src/**/*.spec.ts', '**/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/out-tsc/'],
};
