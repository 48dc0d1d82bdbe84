import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTimeout } from '@pets/async';
import { createPetsClient, type PetsClient } from '@pets/client';
import { openDevRecords, type DevRecords, type DevFile } from '@pets/dev-stack';
import { startTestStack, type TestStack } from '@pets/lab';
import { chromiumLaunch, freePort, startIdentityProvider, type IdentityProvider } from '@pets/testing';
import { chromium, type Browser } from 'playwright-core';

const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than the browser and the stack take until they are killed: a busy machine closes a browser of a hundred pages slowly. */
const CLOSE_LIMIT_MS = 75_000;
/** For a hook that opens or closes the fixture. */
export const FIXTURE_LIMIT_MS = 200_000;

/** The complete stack that `npm start` runs, and a browser. */
export interface DashboardFixture {
  readonly stack: TestStack;
  readonly dev: DevFile;
  readonly browser: Browser;
  readonly records: DevRecords;
  /** Identity provider with which people sign in to the dashboard. */
  readonly provider: IdentityProvider;
  /** A client of the API, for the arrange step of a test. */
  readonly pets: PetsClient;
  close(): Promise<void>;
}

export async function openDashboardFixture(): Promise<DashboardFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-dashboard-'));
  const port = await freePort();
  const provider = await startIdentityProvider(`http://127.0.0.1:${port}/dashboard/sign-in/callback`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const stack = await startTestStack({
    dataDir,
    env: { ...env, ...provider.settings, PETS_API_PORT: String(port) },
  }).catch(async (error: unknown) => {
    // Its server would keep the run of the tests from ending.
    await provider.stop();
    throw error;
  });
  const browser = await chromium.launch(chromiumLaunch());
  const { dev } = stack;
  return {
    stack,
    dev,
    browser,
    provider,
    records: openDevRecords(dev),
    pets: openPets(dev.apiUrl, dev.apiKey),
    close: async () => {
      await withTimeout(browser.close(), CLOSE_LIMIT_MS, 'closing the browser');
      await withTimeout(stack.stop(), CLOSE_LIMIT_MS, 'stopping the stack');
      await provider.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function openPets(baseUrl: string, apiKey: string): PetsClient {
  return createPetsClient({
    baseUrl,
    apiKey,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }),
  });
}
