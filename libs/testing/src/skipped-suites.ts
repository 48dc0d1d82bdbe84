import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { programPath } from './processes/service-process.js';

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

const executablePath = programPath('chromium-headless-shell');

/** Reason why tests cannot run in a browser on this machine; null if they can. */
export const missingBrowser = executablePath === null ? 'chromium-headless-shell is not installed' : null;

/** Launch options of Playwright in tests: the installed Chromium without updates, background requests and QUIC. */
export function chromiumLaunch(): {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Readonly<Record<string, string>>;
} {
  return {
    env: {
      ...{ HOME: homedir(), TMPDIR: tmpdir(), PATH: '/usr/local/bin:/usr/bin:/bin' },
      // In the C locale a page cannot read files whose names have other letters than ASCII.
      LC_ALL: 'C.UTF-8',
    },
    executablePath: executablePath ?? 'chromium-headless-shell',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}
