import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const LIMIT_MS = 5_000;
const PAUSE_MS = 50;

/** The least there is to telling somebody: one NOTIFY, one connection that listens, nothing read and nothing checked. */
export async function measureBareNotify(databaseUrl: string, signal: AbortSignal): Promise<readonly number[]> {
  const [teller, listener] = [
    new pg.Client({ connectionString: databaseUrl }),
    new pg.Client({ connectionString: databaseUrl }),
  ];
  await Promise.all([teller.connect(), listener.connect()]);
  const delays: number[] = [];
  try {
    await listener.query('listen bench_events');
    while (!signal.aborted) {
      const notified = once(listener, 'notification', { signal: AbortSignal.timeout(LIMIT_MS) });
      const began = performance.now();
      await teller.query(`select pg_notify('bench_events', '')`);
      await notified;
      delays.push(performance.now() - began);
      await sleep(PAUSE_MS);
    }
    return delays;
  } finally {
    await Promise.all([teller.end(), listener.end()]);
  }
}
