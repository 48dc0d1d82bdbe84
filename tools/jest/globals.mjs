/** Replacement of `@jest/globals` for the test file that `run-test-file.mjs` runs: what Jest made for it. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } =
  globalThis[Symbol.for('pets.jest-globals')];

/** Mocks and clocks that Jest turns are missing on purpose: tests run against what is real. */
export const jest = {
  /** @param ms limit of each test of the file that has none of its own */
  setTimeout: (ms) => {
    globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = ms;
  },
};
