import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../test-results/skipped');

/** Jest's `describe`, as a test file gets it from `@jest/globals`. */
type Describe = { (name: string, body: () => void): void; skip(name: string, body: () => void): void };

/**
 * Records that a suite cannot run on this machine, so that `npm test` names it at its end: no suite is skipped silently.
 * In CI that counts as a failure.
 */
function skipSuite(name: string, reason: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name.replaceAll(/[^\w-]+/g, '-')}.txt`), `${name}: ${reason}\n`);
}

/**
 * A suite that needs a program of the machine. Where `missing` is not null, it is skipped, and the reason recorded.
 * @example describeWhen(describe, 'queues over Redis', isInstalled('redis-server') ? null : 'redis-server is not installed', () => …)
 */
export function describeWhen(describe: Describe, name: string, missing: string | null, body: () => void): void {
  if (missing === null) {
    describe(name, body);
    return;
  }
  skipSuite(name, missing);
  describe.skip(name, body);
}
