import type { Attempt, CaProblem, DomainEvents, DomainJobs } from '@pets/contracts';
import { notify } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { DomainFixture } from '../domain-fixture.js';
import { emptyFindings, gateOf, matchingFindings, orderOf } from '../scripted-worker.js';

type IssueJob = DomainJobs['issue-certificate'];

export const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

/** Problems of a CA, by failure class. */
export const problems = {
  user: problem('urn:ietf:params:acme:error:unauthorized', 403),
  passing: problem('urn:ietf:params:acme:error:serverInternal', 500),
  /** Limit of the name; `accountLimit` is of our account. */
  rate: problem(
    'urn:ietf:params:acme:error:rateLimited',
    429,
    new Date(Date.now() + 3_600_000).toISOString(),
    'too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s',
  ),
  accountLimit: problem(
    'urn:ietf:params:acme:error:rateLimited',
    429,
    new Date(Date.now() + 3_600_000).toISOString(),
    'too many new orders (300) from this account in the last 3h0m0s',
  ),
} as const;

function problem(type: string, status: number, retryAt: string | null = null, detail = 'said no'): CaProblem {
  return { type, detail, status, retryAt };
}

/** Row of the ledger, as far as tests look at it. */
export interface LedgerRow {
  readonly attempt: number;
  readonly state: string;
  readonly directoryUrl: string;
  readonly ordered: boolean | null;
  readonly failureClass: string | null;
  readonly failureStage: string | null;
  readonly replaces: string | null;
  readonly isRenewal: boolean;
}

/** The steps that tests of certificates are made of. */
export function certificateSteps(fixture: DomainFixture) {
  const { api, worker } = fixture;

  const rows = async (domainId: string): Promise<LedgerRow[]> =>
    (
      await sql<LedgerRow>`
        select attempt, state, directory_url as "directoryUrl", ordered, failure_class as "failureClass",
          failure_stage as "failureStage", replaces, is_renewal as "isRenewal"
        from certificates where domain_id = ${domainId} order by attempt`.execute(api.db)
    ).rows;

  const untilEnded = async (job: Attempt) => {
    const hasEnded = async () =>
      (await rows(job.domainId)).some(({ attempt, state }) => attempt === job.attempt && state !== 'pending');
    await waitUntil(hasEnded, { timeoutMs: 15_000, message: 'the result to be booked' });
  };

  const makeDue = async (id: string, kind: string) => {
    await sql`
      insert into domain_work (domain_id, kind, due_at, organization_id, priority)
      select id, ${kind}, now(), organization_id, 1 from domains where id = ${id}
      on conflict (domain_id, kind) do update set due_at = now() - interval '1 second', lease_until = null`.execute(
      api.db,
    );
    await notify(api.db, 'domain_work');
  };

  /** A domain of this name that wants its first certificate. */
  const verify = async (name: string): Promise<string> => {
    const { id } = await fixture.add(name);
    await fixture.check(id, matchingFindings);
    return id;
  };

  const fail = async (
    job: IssueJob,
    stage: DomainEvents['certificate.failed']['stage'],
    said: CaProblem | null,
  ): Promise<void> => {
    await api.messaging.events.emit('certificate.failed', {
      ...orderOf(job),
      method: null,
      stage,
      ordered: stage !== 'gate' && stage !== 'account',
      problem: said,
      gate: stage === 'gate' ? gateOf(emptyFindings(job.expected)) : null,
      order: null,
    });
    await untilEnded(job);
  };

  return {
    rows,
    untilEnded,
    makeDue,
    verify,
    fail,
    /** The job of the next attempt, which is made due. */
    next: async (id: string): Promise<IssueJob> => {
      await makeDue(id, 'issuance');
      return worker.nextJob('issue-certificate', id);
    },
    issue: async (job: IssueJob): Promise<void> => {
      await fixture.sign(job, job.expected.name);
      await untilEnded(job);
    },
    /** When the domain says that CAs may be asked again; waits for it to say so. */
    untilRateLimited: async (id: string): Promise<Date> => {
      const limit = async () => (await fixture.get(id)).certificate?.rateLimitedUntil ?? null;
      await waitUntil(async () => (await limit()) !== null, { timeoutMs: 15_000, message: 'the limit to be shown' });
      return new Date((await limit()) ?? 0);
    },
    /** Certificates that were issued some time ago; kept by a domain that does not matter otherwise. */
    seedIssued: async (
      keeperId: string,
      seeded: { name: string; apexName: string; directoryUrl: string; count: number; hoursAgo: number },
    ): Promise<void> => {
      await sql`
        insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
          account_thumbprint, csr_pem, sealed_key, ordered, created_at, issued_at)
        select 'ordered', d.id, d.organization_id, ${seeded.name}, ${seeded.apexName}, 1000, (
            select coalesce(max(attempt), 0) from certificates where domain_id = d.id and generation = 1000
          ) + n, 'issued', ${seeded.directoryUrl}, '', '', '', true, now() - make_interval(hours => ${seeded.hoursAgo}),
          now() - make_interval(hours => ${seeded.hoursAgo})
        from domains d, generate_series(1, ${seeded.count}::integer) n where d.id = ${keeperId}`.execute(api.db);
    },
  };
}

export type CertificateSteps = ReturnType<typeof certificateSteps>;
