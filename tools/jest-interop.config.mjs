import { basename } from 'node:path';
import preset from '../jest.preset.js';
import pool from './jest-pool.config.mjs';

/** Tests with servers that `npm test` does without. */
export default {
  ...pool,
  projects: pool.projects.map((rootDir) => ({
    ...preset,
    rootDir,
    displayName: basename(rootDir),
    testMatch: ['**/test/**/*.interop.ts'],
  })),
};
