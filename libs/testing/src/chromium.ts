import { homedir, tmpdir } from 'node:os';
import { programPath } from './processes/service-process.js';

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
