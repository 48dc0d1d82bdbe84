import type { Domain, DomainJobs, EdgeRoute } from '@pets/contracts';
import type { WorkKind } from '@pets/domains';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { certificateSteps } from './certificate-steps.js';
import type { DomainFixture } from '../domain-fixture.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

const DAY_MS = 86_400_000;

/** The schedule entry of one kind of work, with the fields that tests use. */
export interface ScheduleEntry {
  readonly dueAt: Date | null;
  readonly applied: number;
  readonly failuresInARow: number;
}

/** Steps in the later life of a domain. */
export function renewalSteps(fixture: DomainFixture) {
  const { api, worker } = fixture;
  const { makeDue, ...steps } = certificateSteps(fixture);

  const scheduleEntry = async (id: string, kind: WorkKind): Promise<ScheduleEntry> => {
    const { rows } = await sql<ScheduleEntry>`
      select due_at as "dueAt", applied_attempt as applied, failures_in_a_row as "failuresInARow"
      from domain_work where domain_id = ${id} and kind = ${kind}`.execute(api.db);
    if (rows[0] === undefined) throw new Error(`the domain has no schedule for ${kind}`);
    return rows[0];
  };

  /** Runs `act`, and waits until a result of a kind of work is applied. */
  const untilApplied = async (id: string, kind: WorkKind, act: () => Promise<unknown>): Promise<Domain> => {
    const { applied } = await scheduleEntry(id, kind);
    await act();
    const isApplied = async () => (await scheduleEntry(id, kind)).applied > applied;
    await waitUntil(isApplied, { timeoutMs: 15_000, message: `the result of ${kind}` });
    return fixture.get(id);
  };

  const prove = async (id: string): Promise<void> => {
    const probe = await worker.nextJob('probe-edge', id);
    await untilApplied(id, 'probe', () =>
      api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256: probe.leafSha256 }),
    );
  };

  /** Makes the request for renewal information due, and returns its job. */
  const ask = async (id: string): Promise<DomainJobs['fetch-renewal-info']> => {
    await makeDue(id, 'renewal_info');
    return worker.nextJob('fetch-renewal-info', id);
  };

  return {
    ...steps,
    makeDue,
    scheduleEntry,
    ask,
    untilApplied,
    prove,
    /** A live domain, with its job for renewal information. */
    live: async (): Promise<{ id: string; name: string; question: DomainJobs['fetch-renewal-info'] }> => {
      const { id, name, issue } = await fixture.verified();
      await fixture.sign(issue, name);
      await prove(id);
      await fixture.untilState(id, 'live');
      return { id, name, question: await ask(id) };
    },
    /** Reports the renewal window of the CA, in days from now. */
    reportRenewalInfo: (
      question: DomainJobs['fetch-renewal-info'],
      days: { from: number; to: number } | null,
      problem: string | null = null,
    ) =>
      untilApplied(question.domainId, 'renewal_info', () =>
        api.messaging.events.emit('renewal_info.fetched', {
          ...attemptOf(question),
          directoryUrl: question.directoryUrl,
          certificateIdentifier: question.certificateIdentifier,
          window: days && { start: inDays(days.from).toISOString(), end: inDays(days.to).toISOString() },
          explanationUrl: null,
          retryAt: null,
          problem: problem === null ? null : { type: null, detail: problem, status: null, retryAt: null },
        }),
      ),
    /** Changes the dates of a 90-day certificate so that this many days are left. */
    age: async (id: string, daysLeft: number): Promise<void> => {
      await sql`
        update certificates set not_before = ${inDays(daysLeft - 90)}, not_after = ${inDays(daysLeft)}
        where domain_id = ${id} and state = 'issued'`.execute(api.db);
    },
    /** Runs a DNS check now. @param isRight false for a CNAME to another target */
    checkDns: (id: string, isRight = true) =>
      untilApplied(id, 'dns', async () => {
        await makeDue(id, 'dns');
        await fixture.check(id, (expected) => {
          if (isRight) return matchingFindings(expected);
          return matchingFindings({ ...expected, targetHost: 'other.example.net' });
        });
      }),
    /** The types of the certificate events in a domain's history. */
    certificateEventTypes: async (id: string): Promise<string[]> => {
      const { rows } = await sql<{ type: string }>`
        select type from project_events where domain_id = ${id} and type like 'certificate.%' order by number`.execute(
        api.db,
      );
      return rows.map(({ type }) => type);
    },
    route: async (host: string): Promise<EdgeRoute | null> => {
      const { rows } = await sql<{ route: EdgeRoute | null }>`
        select route from edge_routes where host = ${host}`.execute(api.db);
      return rows[0]?.route ?? null;
    },
  };
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}

/** How many seconds from now an instant is. */
export function secondsTo(instant: Date | string | null | undefined): number {
  if (instant === null || instant === undefined) throw new Error('there is no such time');
  return (new Date(instant).getTime() - Date.now()) / 1000;
}

export function codesOf({ issues }: Domain): string[] {
  return issues.map(({ code }) => code);
}
