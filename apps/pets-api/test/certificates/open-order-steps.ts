import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { notify, type Database } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { directoryUrl, type DomainFixture } from '../domain-fixture.js';
import { attemptOf } from '../scripted-worker.js';

type Job = DomainJobs['issue-certificate'];
type Placed = Pick<DomainEvents['certificate.ordered'], 'method' | 'orderUrl' | 'expires' | 'replaces'>;

export const orderUrl = 'http://ca.test/order/1';

export const baseOf = (job: Job) => ({ ...attemptOf(job), directoryUrl });

const week = () => new Date(Date.now() + 7 * 86_400_000).toISOString();

/** Handlers that write a column fail, and their events are tried again. @returns ends it */
export async function failWritesOf(db: Database, table: string, column: string): Promise<() => Promise<void>> {
  await sql`
    create or replace function fail() returns trigger language plpgsql as $$
      begin raise exception 'unavailable'; end $$`.execute(db);
  await sql`
    create trigger failing before update of ${sql.ref(column)} on ${sql.table(table)}
    for each row execute function fail()`.execute(db);
  return async () => void (await sql`drop trigger failing on ${sql.table(table)}`.execute(db));
}

/** The steps in the life of an order that outlives its job. */
export function openOrderSteps({ api, worker }: DomainFixture) {
  const emit = <N extends keyof DomainEvents>(name: N, event: DomainEvents[N]) =>
    api.messaging.events.emit(name, event);

  const urlOf = async (domainId: string): Promise<string | null> => {
    const { rows } = await sql<{ url: string | null }>`
      select order_url as url from certificates where domain_id = ${domainId}
      order by attempt desc limit 1`.execute(api.db);
    return rows[0]?.url ?? null;
  };

  /** The worker reports that the CA has accepted the order of a job. */
  const report = (job: Job, placed: Partial<Placed> = {}) =>
    emit('certificate.ordered', {
      ...baseOf(job),
      ...{ method: 'http-01', orderUrl, expires: week(), replaces: null },
      ...placed,
    });

  return {
    emit,
    report,
    /** The same, and the API stores it. */
    order: async (job: Job, placed?: Partial<Placed>): Promise<void> => {
      await report(job, placed);
      await waitUntil(async () => (await urlOf(job.domainId)) !== null, { message: 'the order to be stored' });
    },
    wait: (job: Job, retryAt: string | null = null) => emit('certificate.pending', { ...baseOf(job), retryAt }),
    /** The lease of a lost job ends. */
    loseLease: async (id: string): Promise<void> => {
      await sql`
        update domain_work set lease_until = now() - interval '1 second' where domain_id = ${id} and kind = 'issuance'`.execute(
        api.db,
      );
      await notify(api.db, 'domain_work');
    },
    next: (id: string) => worker.nextJob('issue-certificate', id),
  };
}

export type OpenOrderSteps = ReturnType<typeof openOrderSteps>;
