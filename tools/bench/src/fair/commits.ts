/**
 * Commits that notify, of as many projects as clients: each writes a line of history and a schedule entry. PostgreSQL
 * commits transactions with a NOTIFY one after the other; ours are sent after the commit. Variants take turns, since the
 * disk of a machine is not equally fast all the time.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedDomains, type SeededDomain } from '@pets/lab';
import { startPostgres } from '@pets/testing/postgres';
import { freePort } from '@pets/testing/processes';
import { migrateDatabase, notify, openDatabase, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import pg from 'pg';
import { median, type Figure } from '../figure.js';

const CLIENTS = 16;
const ROUNDS = 5;
const ROUND_MS = 2_000;
/** Share of the commits without any notification. */
const ENOUGH = 0.8;

/** Actions of a transaction at its end. */
const variants = {
  silent: async () => undefined,
  ours: async (tx: Tx) => {
    await notify(tx, 'project_events');
    await notify(tx, 'domain_work');
  },
  inside: async (tx: Tx) => {
    await sql`select pg_notify('project_events', ''), pg_notify('domain_work', '')`.execute(tx);
  },
} as const;
type Variant = keyof typeof variants;

export async function measureCommits(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-commits-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), port: await freePort() });
  const db = openDatabase({ url: postgres.url, poolSize: CLIENTS + 4, onConnectionError: report });
  try {
    await migrateDatabase(db);
    const domains = await seed(db, postgres.url);
    const rates: Record<Variant, number[]> = { silent: [], ours: [], inside: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const variant of Object.keys(variants) as Variant[]) {
        const rate = await measure(db, domains, variant);
        if (round > 0) rates[variant].push(rate); // the first one warms up
      }
    }
    const [silent, ours, inside] = [median(rates.silent), median(rates.ours), median(rates.inside)];
    process.stdout.write(
      `commits/s of ${CLIENTS} clients: ${silent.toFixed(0)} without notifications, ${ours.toFixed(0)} with ours, ${inside.toFixed(0)} with NOTIFY inside\n`,
    );
    return [
      { name: 'fair/commits-with-notifications', ratio: ours / silent, bar: ENOUGH },
      { name: 'fair/commits-with-notify-inside', ratio: inside / silent, bar: 0 },
    ];
  } finally {
    await db.destroy();
    await postgres.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One domain of each project. */
async function seed(db: Database, url: string): Promise<readonly SeededDomain[]> {
  const { id } = await db
    .insertInto('organizations')
    .values({ name: 'Commits', plan: 'pro' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const inTenYears = new Date(Date.now() + 10 * 365 * 24 * 60 * 60 * 1_000);
    const names = Array.from({ length: CLIENTS * 50 }, (_, index) => ({
      name: `c${index}.example.com`,
      token: `c${index}`,
    }));
    const domains = await seedDomains(client, id, names, inTenYears);
    return [...new Map(domains.map((domain) => [domain.projectId, domain])).values()];
  } finally {
    await client.end();
  }
}

/** @returns commits a second */
async function measure(db: Database, domains: readonly SeededDomain[], variant: Variant): Promise<number> {
  const began = performance.now();
  let commits = 0;
  await Promise.all(
    domains.map(async (domain) => {
      while (performance.now() - began < ROUND_MS) {
        await db.transaction().execute(async (tx) => {
          await write(tx, domain);
          await variants[variant](tx);
        });
        commits += 1;
      }
    }),
  );
  return (commits * 1_000) / (performance.now() - began);
}

async function write(tx: Tx, { id, projectId }: SeededDomain): Promise<void> {
  await sql`
    with numbered as (
      update projects set event_number = event_number + 1 where id = ${projectId} returning event_number
    )
    insert into project_events (project_id, number, domain_id, type, from_state, to_state, detail, at)
    select ${projectId}, event_number, ${id}, 'dns.checked', 'awaiting_dns', 'awaiting_dns', 'checked', now() from numbered`.execute(
    tx,
  );
  await sql`
    insert into domain_work (domain_id, kind, due_at, organization_id, priority)
    select id, 'dns', now() + interval '1 year', organization_id, 3 from domains where id = ${id}
    on conflict (domain_id, kind) do update set due_at = excluded.due_at`.execute(tx);
}

function report(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}
