import { waitUntil } from '@pets/dev-stack';
import pg from 'pg';
import type { EngineFixture } from './engine-fixture.js';
import { seedDomains } from './seed.js';

const LIMIT_MS = 600_000;

/**
 * Adds domains that come due at one moment, and waits until the engine has verified them all.
 * @param round part of their names, once for a fixture
 * @param onDue called at the moment at which they come due
 * @returns milliseconds from due to the last domain verified
 */
export async function verifyDomains(
  fixture: EngineFixture,
  round: string,
  count: number,
  onDue: () => void = () => undefined,
): Promise<number> {
  const db = new pg.Client({ connectionString: fixture.postgres.url });
  await db.connect();
  try {
    const named = Array.from({ length: count }, (_, index) => {
      const id = `${round}x${index}`;
      return { name: `match-${id}.engine.example.com`, token: `t${id}` };
    });
    const dueAt = new Date(Date.now() + 2_000 + count / 5);
    await seedDomains(db, fixture.organizationId, named, dueAt);
    if (Date.now() > dueAt.getTime()) throw new Error('the domains were due before all of them were there');
    await db.query('vacuum analyze domain_work, domains');
    await waitUntil(() => Date.now() >= dueAt.getTime(), { timeoutMs: 60_000, message: 'the moment', intervalMs: 5 });
    onDue();
    await db.query(`select pg_notify('domain_work', '')`);
    const left = `select from domains where state = 'awaiting_dns' limit 1`;
    await waitUntil(async () => (await db.query(left)).rowCount === 0, {
      ...{ timeoutMs: LIMIT_MS, message: `${count} domains to be verified`, intervalMs: 200 },
    });
    const { rows } = await db.query<{ last: Date }>(
      `select max(verified_at) as last from domains where name like 'match-${round}x%'`,
    );
    return (rows[0]?.last.getTime() ?? Number.NaN) - dueAt.getTime();
  } finally {
    await db.end();
  }
}
