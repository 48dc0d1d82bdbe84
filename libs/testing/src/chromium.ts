import { programPath } from '@pets/dev-stack';

/**
 * Launch options of Playwright in tests: the installed Chromium without updates, background requests and QUIC.
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
