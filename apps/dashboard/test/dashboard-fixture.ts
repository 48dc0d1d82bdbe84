import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPetsClient, type PetsClient } from '@pets/client';
import { openDevRecords, type DevRecords } from '@pets/dev-stack';
import { chromiumLaunch, startStack, type DevFile, type RunningStack } from '@pets/testing';
import { chromium, type Browser } from 'playwright-core';

const REQUEST_LIMIT_MS = 15_000;

/** The whole embedded stack, as `npm start` brings it up, and a browser. */
export interface DashboardFixture {
  readonly stack: RunningStack;
  readonly dev: DevFile;
  readonly browser: Browser;
  readonly records: DevRecords;
  /** The API beside the browser, to prepare what a story begins with. */
  readonly pets: PetsClient;
  close(): Promise<void>;
}

export async function openDashboardFixture(): Promise<DashboardFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-dashboard-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const stack = await startStack({ dataDir, env });
  const browser = await chromium.launch(chromiumLaunch());
  const { dev } = stack;
  return {
    stack,
    dev,
    browser,
    records: openDevRecords(dev),
    pets: openPets(dev.apiUrl, dev.apiKey),
    close: async () => {
      await browser.close();
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function openPets(baseUrl: string, apiKey: string): PetsClient {
  return createPetsClient({
    baseUrl,
    apiKey,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }),
  });
}
