import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import preset from '../jest.preset.js';

const rootDir = resolve(import.meta.dirname, '..');
const folders = ['apps', 'libs', 'tools'].flatMap((parent) =>
  readdirSync(join(rootDir, parent)).map((name) => join(rootDir, parent, name)),
);

/**
 * All projects in one pool, so that no core waits for the longest of them. Three at a time keep two cores busy: tests wait
 * for servers for a third of their time. A fourth takes a seventh more processor time, and the run is no shorter.
 */
export default {
  rootDir,
  projects: folders.filter((folder) => existsSync(join(folder, 'jest.config.js'))),
  // Jest takes these for the whole run, and not from the projects.
  maxWorkers: 3,
  testTimeout: preset.testTimeout,
  testSequencer: join(rootDir, 'tools/longest-first.mjs'),
};
