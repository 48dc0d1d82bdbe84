import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@pets/lab';
import { programPath } from '@pets/testing/processes';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { settings } from '../settings.js';
import { median, type Figure } from '../figure.js';

/**
 * From opening a deep link of the dashboard with an empty cache, signed in, until the first rows of the list of domains are shown
 * and the page reacts to input. On a desktop, and on a phone: a processor four times slower, and slow 4G.
 */

const ROUNDS = 9;
const DOMAINS = 50;
const STEP_LIMIT_MS = 30_000;

/** Slow 4G as Lighthouse has it: 150 ms and 1.6 Mbit/s. */
const slow4g = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
} as const;

interface Device {
  readonly name: string;
  readonly mostMs: number;
  readonly viewport: { readonly width: number; readonly height: number };
  slowDown(session: CDPSession): Promise<void>;
}

const devices: readonly Device[] = [
  { name: 'desktop', mostMs: 1_000, viewport: { width: 1440, height: 900 }, slowDown: () => Promise.resolve() },
  {
    name: 'phone',
    mostMs: 2_500,
    viewport: { width: 390, height: 844 },
    slowDown: async (session) => {
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await session.send('Network.emulateNetworkConditions', slow4g);
    },
  },
];

export async function benchDashboard(): Promise<readonly Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-bench-dashboard-'));
  let stack: TestStack | undefined;
  let browser: Browser | undefined;
  try {
    stack = await startTestStack({ dataDir, env: { PATH: settings.PATH } });
    browser = await chromium.launch({
      executablePath: programPath('chromium') ?? 'chromium',
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
    });
    const url = await addDomains(stack);
    const session = await signIn(browser, stack);
    const times = new Map(devices.map(({ name }) => [name, [] as Opening[]]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const device of devices) {
        const opening = await open(browser, session, device, url);
        if (round > 0) times.get(device.name)?.push(opening); // the first one warms up the API
      }
    }
    return devices.map(({ name, mostMs }) => {
      const openings = times.get(name) ?? [];
      const ms = median(openings.map((opening) => opening.ms));
      const kilobytes = median(openings.map((opening) => opening.bytes)) / 1_000;
      print(`${name}: ${ms.toFixed(0)} ms until it can be used, ${kilobytes.toFixed(0)} kB transferred`);
      return { name: `dashboard/${mostMs}-ms-over-${name}`, ratio: mostMs / ms, bar: 1 };
    });
  } finally {
    await browser?.close();
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A list as long as a page of it. @returns where it is */
async function addDomains({ dev }: TestStack): Promise<string> {
  for (let index = 0; index < DOMAINS; index += 1) {
    const response = await fetch(`${dev.apiUrl}/v1/projects/${dev.projectId}/domains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dev.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `shop-${index}.example.com`, pair: false }),
      signal: AbortSignal.timeout(STEP_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`a domain was not added: ${response.status} ${await response.text()}`);
  }
  return `${dev.dashboardUrl}/projects/${dev.projectId}/settings/domains`;
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

async function signIn(browser: Browser, { dev }: TestStack): Promise<Session> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  await page.goto(dev.dashboardUrl);
  await page.getByLabel('API key', { exact: true }).fill(dev.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account of' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

interface Opening {
  readonly ms: number;
  readonly bytes: number;
}

/** A context of its own has an empty cache. */
async function open(browser: Browser, session: Session, device: Device, url: string): Promise<Opening> {
  const context = await browser.newContext({ storageState: session, viewport: device.viewport });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_LIMIT_MS);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await device.slowDown(devtools);
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(url, { waitUntil: 'commit' });
    return { ms: await usableAfter(page), bytes };
  } finally {
    await context.close();
  }
}

/** Milliseconds from the start of the navigation until a frame has the first rows of the list, and the page is free to react. */
async function usableAfter(page: Page): Promise<number> {
  await page.waitForFunction(
    (name) => (globalThis as unknown as Window).document.body?.textContent?.includes(name),
    `shop-${DOMAINS - 1}.example.com`,
  );
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        // After the next frame, input would be handled before this task.
        (globalThis as unknown as Window).requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      }),
  );
}

/** The part of the page that the functions above use. */
interface Window {
  readonly document: { readonly body: { readonly textContent: string | null } | null };
  requestAnimationFrame(callback: () => void): void;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
