/**
 * One tenant has very many due names, and another clicks. Clicks are timed until their check is applied: first on an idle
 * engine, then in the flood. Periods with and without clicks take turns, so that the throughput of both is of the same
 * minutes of the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, startStack, type SeededDomain } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { settings } from '../settings.js';
import { quantile, type Figure } from '../figure.js';

const SEED_AT_ONCE = 10_000;
const CLICK_EVERY_MS = 250;
const CLICK_LIMIT_MS = 60_000;
const IDLE_CLICKS = 60;
const PERIODS = 4;
const PERIOD_MS = 12_000;
/** Clicks in the flood may take twice as long, and may cost the flood a fifth. */
const CLICK_BAR = 0.5;
const THROUGHPUT_BAR = 0.8;
const HOUR_MS = 60 * 60 * 1_000;

interface Fixture {
  readonly db: pg.Client;
  readonly url: string;
  readonly apiKey: string;
  /** Names of the tenant that clicks: each is clicked once. */
  readonly names: SeededDomain[];
}

export async function measureFlood(): Promise<readonly Figure[]> {
  const stack = await startStack({ onLine: warn });
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  try {
    const clicking = stack.createTenant('pro');
    const count = IDLE_CLICKS + (PERIODS * PERIOD_MS) / CLICK_EVERY_MS;
    const names = await seed(db, clicking.organizationId, 'click', count, new Date(Date.now() + 24 * HOUR_MS));
    const floodAt = new Date(Date.now() + 24 * HOUR_MS);
    for (let added = 0; added < settings.BENCH_FLOOD; added += SEED_AT_ONCE)
      await seed(
        db,
        stack.organizationId,
        `flood${added}x`,
        Math.min(SEED_AT_ONCE, settings.BENCH_FLOOD - added),
        floodAt,
      );
    await db.query('vacuum analyze domain_work, domains');
    const api = await stack.startApi();
    await stack.startWorker();
    const fixture = { db, url: api.url, apiKey: clicking.apiKey, names };
    await click(fixture); // warm
    const idle = await clickFor(fixture, (IDLE_CLICKS - 1) * CLICK_EVERY_MS);
    const { rowCount } = await db.query(`update domain_work set due_at = now() where organization_id = $1`, [
      stack.organizationId,
    ]);
    if (rowCount !== settings.BENCH_FLOOD) throw new Error(`${rowCount} names are due`);
    await db.query(`select pg_notify('domain_work', '')`);
    await sleep(PERIOD_MS / 2); // until the flood runs at its speed
    const quiet: Awaited<ReturnType<typeof measure>>[] = [];
    const clicked: typeof quiet = [];
    for (let period = 0; period < PERIODS; period += 1) {
      quiet.push(await measure(db, stack.organizationId, () => sleep(PERIOD_MS).then(() => [])));
      clicked.push(await measure(db, stack.organizationId, () => clickFor(fixture, PERIOD_MS)));
    }
    const left = await countDue(db, stack.organizationId);
    if (left === 0) throw new Error('the flood was over before the clicks: set BENCH_FLOOD higher');
    return figures(
      idle,
      clicked.flatMap(({ tookMs }) => tookMs),
      {
        quiet: mean(quiet.map(({ rate }) => rate)),
        clicked: mean(clicked.map(({ rate }) => rate)),
      },
    );
  } finally {
    await db.end();
    await stack.close();
  }
}

function figures(
  idle: readonly number[],
  flooded: readonly number[],
  rates: { readonly quiet: number; readonly clicked: number },
): readonly Figure[] {
  const [idleMs, floodedMs] = [quantile(idle, 0.95), quantile(flooded, 0.95)];
  process.stdout.write(
    `click p95 ${idleMs.toFixed(0)} ms idle, ${floodedMs.toFixed(0)} ms in the flood (median ${quantile(idle, 0.5).toFixed(0)} and ${quantile(flooded, 0.5).toFixed(0)} ms)\n` +
      `flood ${rates.quiet.toFixed(0)} checks/s without clicks, ${rates.clicked.toFixed(0)} with\n`,
  );
  return [
    { name: 'fair/click-p95-idle-to-flooded', ratio: idleMs / floodedMs, bar: CLICK_BAR },
    { name: 'fair/flood-with-clicks', ratio: rates.clicked / rates.quiet, bar: THROUGHPUT_BAR },
  ];
}

/** Names whose records are missing, so that each stays as it is after its check. */
async function seed(db: pg.Client, organizationId: string, label: string, count: number, dueAt: Date) {
  const names = Array.from({ length: count }, (_, index) => {
    const id = `${label}${index}`;
    return { name: `other-${id}.engine.example.com`, token: `t${id}` };
  });
  return [...(await seedDomains(db, organizationId, names, dueAt))];
}

/** @returns how long each click took, in milliseconds */
async function clickFor(fixture: Fixture, forMs: number): Promise<readonly number[]> {
  const clicks: Promise<number>[] = [];
  for (const endsMs = performance.now() + forMs; performance.now() < endsMs; await sleep(CLICK_EVERY_MS))
    clicks.push(click(fixture));
  return Promise.all(clicks);
}

async function click({ db, url, apiKey, names }: Fixture): Promise<number> {
  const domain = names.pop();
  if (domain === undefined) throw new Error('every name was clicked');
  const beganMs = performance.now();
  const answer = await fetch(`${url}/v1/projects/${domain.projectId}/domains/${domain.id}/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(CLICK_LIMIT_MS),
  });
  if (answer.status !== 202) throw new Error(`a click was answered ${answer.status}: ${await answer.text()}`);
  const isChecked = async () =>
    (await db.query(`select from domain_work where domain_id = $1 and applied_attempt > 0`, [domain.id])).rowCount ===
    1;
  await waitUntil(isChecked, { timeoutMs: CLICK_LIMIT_MS, intervalMs: 2, message: 'a click to be checked' });
  return performance.now() - beganMs;
}

/** @returns checks a second of the organization meanwhile, and what `run` has returned */
async function measure(db: pg.Client, organizationId: string, run: () => Promise<readonly number[]>) {
  const before = await countDue(db, organizationId);
  const beganMs = performance.now();
  const tookMs = await run();
  const seconds = (performance.now() - beganMs) / 1_000;
  return { rate: (before - (await countDue(db, organizationId))) / seconds, tookMs };
}

async function countDue(db: pg.Client, organizationId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from domain_work where organization_id = $1 and applied_attempt = 0`,
    [organizationId],
  );
  return rows[0]?.count ?? 0;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
