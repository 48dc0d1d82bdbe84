import { basename } from 'node:path';
import preset from '../jest.preset.js';
import pool from './jest-pool.config.mjs';

/** Jest counts what its own loader has read, so here it reads the tests: in a context for each test file, and slowly. */
const readByJest = {
  testRunner: 'jest-circus/runner',
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@pets/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { configFile: new URL('../.swcrc', import.meta.url).pathname }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

export default {
  ...pool,
  projects: pool.projects.map((rootDir) => ({ ...preset, ...readByJest, rootDir, displayName: basename(rootDir) })),
  coverageProvider: 'v8',
  coverageDirectory: 'test-results/coverage',
  coverageReporters: ['json-summary', 'html'],
  collectCoverageFrom: ['{apps,libs}/*/src/**/*.ts', '!**/*.spec.ts'],
};
