import { Inject, Injectable } from '@nestjs/common';
import { domainJobs } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A leased attempt. */
export interface PlatformClaim {
  readonly attempt: number;
  readonly leaseUntil: Date;
}

/** The schedule entry, which its transaction has locked. */
export interface PlatformOrder {
  readonly attempt: number;
  readonly dueAt: Date;
  readonly failuresInARow: number;
  readonly infoAttempt: number;
  readonly problem: string | null;
}

export interface PlatformProblem {
  readonly code: string;
  readonly text: string;
}

/** State that the operator sees. */
export interface PlatformOrderState {
  readonly name: string;
  readonly dueAt: Date;
  readonly problemCode: string | null;
  readonly problem: string | null;
  readonly problemSince: Date | null;
}

/** When the platform certificate is ordered, and when its CA is asked about its renewal: one row for each platform domain. */
@Injectable()
export class PlatformOrdersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Makes the first order due. Does nothing where there is a row. */
  async ensure(id: string, name: string): Promise<void> {
    await sql`
      insert into platform_certificate_orders (id, name, due_at) values (${id}, ${name}, now())
      on conflict do nothing`.execute(this.db);
  }

  /**
   * Leases the order, if it is due. Of several replicas, one gets it. Without a result it is due again when the lease expires.
   * @returns undefined when it is not due, or leased
   */
  async claimOrder(id: string): Promise<PlatformClaim | undefined> {
    const { rows } = await sql<PlatformClaim>`
      update platform_certificate_orders set attempt = attempt + 1, due_at = ${leaseEnd('issue-certificate')}
      where id = (
        select id from platform_certificate_orders where id = ${id} and due_at <= now() for update skip locked
      )
      returning attempt, due_at as "leaseUntil"`.execute(this.db);
    return rows[0];
  }

  /** The same for the question to the CA. */
  async claimRenewalInfo(id: string): Promise<PlatformClaim | undefined> {
    const { rows } = await sql<PlatformClaim>`
      update platform_certificate_orders
      set info_attempt = info_attempt + 1, info_due_at = ${leaseEnd('fetch-renewal-info')}
      where id = (
        select id from platform_certificate_orders where id = ${id} and info_due_at <= now() for update skip locked
      )
      returning info_attempt as attempt, info_due_at as "leaseUntil"`.execute(this.db);
    return rows[0];
  }

  async lock(tx: Tx, id: string): Promise<PlatformOrder | undefined> {
    const { rows } = await sql<PlatformOrder>`
      select attempt, due_at as "dueAt", failures_in_a_row as "failuresInARow", info_attempt as "infoAttempt", problem
      from platform_certificate_orders where id = ${id} for update`.execute(tx);
    return rows[0];
  }

  /** After a certificate. */
  async scheduleRenewal(tx: Tx, id: string, dueAt: Date, infoDueAt: Date | null): Promise<void> {
    await sql`
      update platform_certificate_orders
      set due_at = ${dueAt}, info_due_at = ${infoDueAt}, failures_in_a_row = 0, problem_code = null, problem = null,
        problem_since = null
      where id = ${id}`.execute(tx);
  }

  /** While the CA has not finished an order: when it is read next. */
  async scheduleRead(tx: Tx, id: string, dueAt: Date): Promise<void> {
    await sql`update platform_certificate_orders set due_at = ${dueAt} where id = ${id}`.execute(tx);
  }

  /** After a failure, or when no CA can be asked now. `problem_since` is kept while attempts fail. */
  async scheduleRetry(
    tx: Tx,
    id: string,
    retry: { readonly dueAt: Date; readonly failuresInARow: number; readonly problem: PlatformProblem },
    now: Date,
  ): Promise<void> {
    const { dueAt, failuresInARow, problem } = retry;
    await sql`
      update platform_certificate_orders
      set due_at = ${dueAt}, failures_in_a_row = ${failuresInARow}, problem_code = ${problem.code},
        problem = ${problem.text}, problem_since = coalesce(problem_since, ${now})
      where id = ${id}`.execute(tx);
  }

  /** @param dueAt null leaves the planned renewal as it is */
  async scheduleRenewalInfo(tx: Tx, id: string, dueAt: Date | null, infoDueAt: Date | null): Promise<void> {
    await sql`
      update platform_certificate_orders set due_at = coalesce(${dueAt}::timestamptz, due_at), info_due_at = ${infoDueAt}
      where id = ${id}`.execute(tx);
  }

  /** Makes claims that could not be dispatched due again soon. */
  async release(
    id: string,
    kind: 'order' | 'renewal_info',
    { attempt }: PlatformClaim,
    seconds: number,
  ): Promise<void> {
    const [due, claimed] = kind === 'order' ? ['due_at', 'attempt'] : ['info_due_at', 'info_attempt'];
    await sql`
      update platform_certificate_orders set ${sql.ref(due)} = now() + make_interval(secs => ${seconds})
      where id = ${id} and ${sql.ref(claimed)} = ${attempt}`.execute(this.db);
  }

  /** Orders at once. An attempt under way ends first. @returns whether there is a schedule */
  async orderNow(id: string): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      update platform_certificate_orders o set due_at = case when exists (
        select from platform_certificates c where c.order_id = o.id and c.attempt = o.attempt and c.state = 'pending'
      ) then due_at else now() end
      where id = ${id}`.execute(this.db);
    return numAffectedRows > 0n;
  }

  async find(id: string): Promise<PlatformOrderState | undefined> {
    const { rows } = await sql<PlatformOrderState>`
      select name, due_at as "dueAt", problem_code as "problemCode", problem, problem_since as "problemSince"
      from platform_certificate_orders where id = ${id}`.execute(this.db);
    return rows[0];
  }
}

/** In milliseconds, as the job has it. */
function leaseEnd(job: 'issue-certificate' | 'fetch-renewal-info') {
  const seconds = domainJobs[job].leaseMs / 1_000;
  return sql`date_trunc('milliseconds', now()) + make_interval(secs => ${seconds}::float8)`;
}
