/**
 * Replacement of `@jest/globals` for tests that tools/mutation-runner.mjs loads: the parts that Jest itself is made of.
 */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';
