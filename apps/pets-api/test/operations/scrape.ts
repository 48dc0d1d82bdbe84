import { freePort, waitUntil } from '@pets/testing';
import type { TestApi } from '../harness.js';

/** The samples of a page for Prometheus. */
export interface Scrape {
  readonly text: string;
  /** The names of all metrics, as expressions name them: of a histogram its three kinds of series. */
  readonly names: ReadonlySet<string>;
  /** The value of a series, whatever the order of its labels; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
  return readScrape(await response.text());
}

/** The page of a new replica: readings are kept for ten seconds by each process. @param settings of the replica */
export async function scrapeReplica(
  api: Pick<TestApi, 'startReplica'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Scrape> {
  const port = await freePort();
  const replica = await api.startReplica({ METRICS_PORT: String(port), ...settings });
  try {
    return await scrapeAll(`http://127.0.0.1:${port}`);
  } finally {
    await replica.stopApi();
  }
}

/**
 * A page on which no reading of the database or the queues is missing because it took longer than a scrape waits: on a busy
 * machine the first one of a process does, and is there for the next.
 */
async function scrapeAll(url: string): Promise<Scrape> {
  let page = await scrape(url);
  await waitUntil(async () => {
    const failures = failedReadings(page);
    page = await scrape(url);
    return failedReadings(page) === failures;
  });
  return page;
}

function failedReadings(page: Scrape): number {
  const counts = ['database', 'queues'].map((source) => page.value('pets_readings_failed_total', { source }) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

function readScrape(text: string): Scrape {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  const series = new Map(
    [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => [
      keyOf(name ?? '', labelsOf(labels ?? '')),
      Number(value),
    ]),
  );
  return { text, names: new Set(names), value: (name, labels = {}) => series.get(keyOf(name, labels)) };
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
}
