import pg from 'pg';
import type { Figure } from '../figure.js';
import { makeDue } from './fill.js';
import type { RowsGround } from './ground.js';
import { loadModules, measuredClaim, measuredDiscovery } from './statements.js';
import { timeStatement } from './timing.js';

/** Rows done while the snapshot is open: their old versions cannot be removed. */
const DONE = 300_000;
/** Due when the claim is measured. */
const DUE = 1_000;

/** A claim while another transaction holds a snapshot for a long time, as `pg_dump` does. */
export async function measureLongTransaction({ client, db, fixture }: RowsGround): Promise<readonly Figure[]> {
  await makeDue(client, DONE);
  await client.query('vacuum analyze domain_work');
  const dump = new pg.Client({ connectionString: fixture.postgres.url });
  await dump.connect();
  try {
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from organizations');
    await client.query(`update domain_work set due_at = now() + interval '1 hour' where due_at <= now()`);
    await makeDue(client, DUE);
    const modules = await loadModules();
    const claim = await measuredClaim(db, modules);
    const claimMs = await timeStatement(db, claim);
    const discovery = measuredDiscovery(modules);
    const discoveryMs = await timeStatement(db, discovery);
    const note = `${claim.name} ${claimMs.toFixed(1)} ms, ${discovery.name} ${discoveryMs.toFixed(1)} ms`;
    process.stdout.write(`after ${DONE} done beside a snapshot: ${note}\n`);
    return [
      { name: `rows/${claim.name}-beside-a-dump-ms`, ratio: claimMs, bar: claim.limitMs, isMaximum: true },
      { name: `rows/${discovery.name}-beside-a-dump-ms`, ratio: discoveryMs, bar: 0, isMaximum: true },
    ];
  } finally {
    await dump.end();
  }
}
