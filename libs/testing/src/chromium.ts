import { programPath } from '@pets/dev-stack';

/**
 * What Playwright launches in tests: the installed Chromium, no part of which looks for updates or names of its own accord,
 * or speaks QUIC.
 */
export function chromiumLaunch(): { readonly executablePath: string; readonly args: string[] } {
  return {
    executablePath: programPath('chromium') ?? 'chromium',
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
