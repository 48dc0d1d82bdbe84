import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { platformOrderId } from '../../src/certificates/platform/platform-subject.js';
import type { DomainFixture } from '../domain-fixture.js';
import { emptyFindings, gateOf, orderOf, signRequest, withoutDelegation } from '../scripted-worker.js';

export const PLATFORM_NAME = '*.pets.localhost';
export const orderId = platformOrderId(PLATFORM_NAME);

export type IssueJob = DomainJobs['issue-certificate'];

interface Schedule {
  readonly attempt: number;
  readonly dueInSeconds: number;
  readonly failures: number;
  readonly problemCode: string | null;
  readonly problem: string | null;
  readonly infoDueInSeconds: number | null;
}

interface StoredAttempt {
  readonly id: string;
  readonly state: string;
  readonly ordered: boolean | null;
  readonly hasKey: boolean;
  readonly written: boolean;
}

/** Steps in the life of the platform certificate. */
export function platformCertificateSteps({ api, worker }: DomainFixture) {
  const schedule = async (): Promise<Schedule> => {
    const { rows } = await sql<Schedule>`
      select attempt, extract(epoch from due_at - now())::float8 as "dueInSeconds", failures_in_a_row as failures,
        problem_code as "problemCode", problem, extract(epoch from info_due_at - now())::float8 as "infoDueInSeconds"
      from platform_certificate_orders where id = ${orderId}`.execute(api.db);
    if (rows[0] === undefined) throw new Error('there is no schedule');
    return rows[0];
  };

  const makeDue = async (column: 'due_at' | 'info_due_at' = 'due_at'): Promise<void> => {
    await sql`update platform_certificate_orders set ${sql.ref(column)} = now() - interval '1 second' where id = ${orderId}`.execute(
      api.db,
    );
  };

  const nextJob = (): Promise<IssueJob> => worker.nextJob('issue-certificate', orderId);

  const untilEnded = async ({ attempt }: IssueJob): Promise<void> => {
    const hasEnded = async () => {
      const { rows } = await sql`
        select from platform_certificates
        where order_id = ${orderId} and attempt = ${attempt} and state = 'pending'`.execute(api.db);
      return rows.length === 0;
    };
    await waitUntil(hasEnded, { timeoutMs: 15_000, message: 'the result is applied' });
  };

  return {
    schedule,
    makeDue,
    nextJob,
    attempts: async (): Promise<readonly StoredAttempt[]> => {
      const { rows } = await sql<StoredAttempt>`
        select id, state, ordered, sealed_key <> '' as "hasKey", object_written_at is not null as written
        from platform_certificates where order_id = ${orderId} order by attempt`.execute(api.db);
      return rows;
    },
    /** The id that the feed names. */
    published: async (): Promise<string | null> => {
      const { rows } = await sql<{ id: string | null }>`select platform_certificate as id from edge_feed`.execute(
        api.db,
      );
      return rows[0]?.id ?? null;
    },
    nextDueJob: async (): Promise<IssueJob> => {
      await makeDue();
      return nextJob();
    },
    /** @returns the chain */
    issue: async (job: IssueJob): Promise<string> => {
      const result = await resultOf(job);
      await api.messaging.events.emit('certificate.issued', result);
      await untilEnded(job);
      return result.chainPem;
    },
    fail: async (job: IssueJob, failure: Partial<DomainEvents['certificate.failed']>): Promise<void> => {
      const base = { ...orderOf(job), method: null, problem: null, gate: null, order: null };
      const failed = { ...base, stage: 'order' as const, ordered: true, ...failure };
      await api.messaging.events.emit('certificate.failed', failed);
      await untilEnded(job);
    },
  };
}

/** Returns what the worker reports when the CA has issued. */
export async function resultOf(job: IssueJob): Promise<DomainEvents['certificate.issued']> {
  return { ...orderOf(job), chainPem: await signRequest(job.csrPem, PLATFORM_NAME) };
}

/** A preflight that finds no delegation. */
export function withoutRecord({ expected }: IssueJob): Partial<DomainEvents['certificate.failed']> {
  const dns = withoutDelegation(emptyFindings(expected), expected);
  return { stage: 'gate', ordered: false, gate: gateOf(dns, { methods: ['dns-01'] }) };
}
