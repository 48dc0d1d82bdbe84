import { Injectable } from '@nestjs/common';
import {
  refillMs,
  slotsCountSince,
  spentSlots,
  windowStart,
  type CaLimit,
  type CaPauses,
  type CertificateSubject,
  type LimitKind,
  type NameLimitKind,
} from '@pets/domains';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { MAX_STORED_USES } from './certificate-attempts.repository.js';

/** How attempts (`ca_attempts`: of domains, and of the platform) count towards the limits of the CAs, by docs/decisions/0015-ca-budget.md. */
@Injectable()
export class CaUsageRepository {
  /** When the slots of a CA for new orders are refilled, by the orders of the last two windows. */
  async findFullAt(db: Database, directoryUrl: string, limit: CaLimit, now: Date): Promise<Date> {
    const { rows } = await fullAtStatement(directoryUrl, limit, now).execute(db);
    return rows[0]?.fullAt ?? now;
  }

  /**
   * The times of the attempts that count towards some limits, newest first, at most as many as a limit allows, by the subject
   * of the limit (`subjectOf`).
   */
  async findUsage(
    db: Database,
    directoryUrl: string,
    limits: readonly CaLimit[],
    subjects: readonly CertificateSubject[],
    now: Date,
  ): Promise<readonly Usage[]> {
    const counts = limits
      .filter(isOfNames)
      .map((limit) => countStatement(directoryUrl, limit, subjects, windowStart(limit, now)));
    if (counts.length === 0) return [];
    return (await sql<Usage>`${sql.join(counts, sql` union all `)}`.execute(db)).rows;
  }

  /** The use of some limits by the name, or the registered domain, that uses most of each. */
  async findHighestUse(
    db: Database,
    directoryUrl: string,
    limits: readonly CaLimit[],
    now: Date,
  ): Promise<Map<LimitKind, number>> {
    const uses = new Map<LimitKind, number>();
    for (const limit of limits) {
      const used = isOfNames(limit)
        ? await this.findHighestUseOfName(db, directoryUrl, limit, windowStart(limit, now))
        : spentSlots({ limit, fullAt: await this.findFullAt(db, directoryUrl, limit, now) }, now);
      uses.set(limit.kind, used);
    }
    return uses;
  }

  private async findHighestUseOfName(
    db: Database,
    directoryUrl: string,
    { kind }: NameLimit,
    since: Date,
  ): Promise<number> {
    const statement =
      kind === 'exact_set'
        ? repeatedNamesStatement(directoryUrl, since)
        : highestUseStatement(directoryUrl, kind, since);
    const { rows } = await statement.execute(db);
    return rows[0]?.used ?? 0;
  }
}

/** The times of the attempts that a limit counts for a subject. */
interface Usage {
  readonly kind: NameLimitKind;
  readonly subject: string;
  readonly times: readonly Date[];
}

type NameLimit = CaLimit & { readonly kind: NameLimitKind };

function isOfNames(limit: CaLimit): limit is NameLimit {
  return limit.kind !== 'orders';
}

/** From `finalize` on, the CA may have issued a certificate that we never received. A reservation may still succeed. */
const mayBeIssued = sql`(c.state <> 'failed' or c.failure_stage in ('finalize', 'chain'))`;
const isNew = sql`c.replaces is null and not c.is_renewal`;

const counted: Record<NameLimitKind, { readonly by: RawBuilder<unknown>; readonly where: RawBuilder<unknown> }> = {
  registered_domain: { by: sql`c.apex_name = k.key`, where: sql`${mayBeIssued} and ${isNew}` },
  exact_set: { by: sql`c.name = k.key`, where: mayBeIssued },
  failures: { by: sql`c.name = k.key`, where: sql`(c.state = 'pending' or c.failure_stage = 'challenge')` },
};

const groupOf = { registered_domain: sql`c.apex_name`, failures: sql`c.name` } as const;

/** Reads all attempts that count: new orders, or failures within an hour. */
function highestUseStatement(
  directoryUrl: string,
  kind: keyof typeof groupOf,
  since: Date,
): RawBuilder<{ used: number }> {
  return sql<{ used: number }>`
    select coalesce(max(s.used), 0)::integer as used from (
      select count(*) as used from certificates c
      where c.directory_url = ${directoryUrl} and ${counted[kind].where}
        and c.ordered is distinct from false and c.created_at > ${since}
      group by ${groupOf[kind]}
    ) s`;
}

/** Names that are counted again for each number of uses that an attempt has stored. */
const CANDIDATES = 20;

/**
 * The highest use of the exact set by a name. Renewals count, so all attempts are too many to read. Each has stored the uses
 * that it found, which fall as attempts leave the window: the names of the newest attempts with each number are counted again.
 * A test checks the plan.
 */
export function repeatedNamesStatement(directoryUrl: string, since: Date): RawBuilder<{ used: number }> {
  const isCounted = sql`c.directory_url = ${directoryUrl} and ${counted.exact_set.where}
    and c.ordered is distinct from false and c.created_at > ${since}`;
  return sql<{ used: number }>`
    with candidates as materialized (
      select distinct newest.key from generate_series(2, ${sql.lit(MAX_STORED_USES)}) as stored (uses) cross join lateral (
        select c.name as key from certificates c
        where c.directory_url = ${directoryUrl} and c.name_uses = stored.uses and c.name_uses > 1
          and c.created_at > ${since}
        order by c.created_at desc limit ${sql.lit(CANDIDATES)}
      ) newest
    )
    select greatest(max(again.used), (
      select count(*) from (select 1 from certificates c where ${isCounted} limit 1) one
    ))::integer as used
    from candidates k cross join lateral (
      select count(*) as used from certificates c where ${isCounted} and ${counted.exact_set.by}
    ) again`;
}

/**
 * The end of the refilling after each order, as if the bucket were full before it; and as if it were empty before the first
 * one that is read, which is never too early. Reads new orders alone, by their index; a test checks its plan.
 */
export function fullAtStatement(directoryUrl: string, limit: CaLimit, now: Date): RawBuilder<{ fullAt: Date }> {
  const since = slotsCountSince(limit, now);
  const refill = sql`make_interval(secs => ${refillMs(limit) / 1_000}::float8)`;
  return sql<{ fullAt: Date }>`
    select greatest(max(o.created_at + o.later * ${refill}),
      ${new Date(since.getTime() + limit.windowMs)}::timestamptz + count(*) * ${refill}) as "fullAt"
    from (
      select c.created_at, row_number() over (order by c.created_at desc) as later from ca_attempts c
      where c.directory_url = ${directoryUrl} and ${isNew} and c.ordered is distinct from false
        and c.created_at > ${since}
    ) o`;
}

function countStatement(
  directoryUrl: string,
  { kind, max }: NameLimit,
  subjects: readonly CertificateSubject[],
  since: Date,
): RawBuilder<Usage> {
  const keys = new Set(subjects.map(({ name, apexName }) => (kind === 'registered_domain' ? apexName : name)));
  const { by, where } = counted[kind];
  return sql<Usage>`
    select ${kind}::text as kind, ${kind}::text || ' ' || k.key as subject, array(
      select c.created_at from ca_attempts c
      where c.directory_url = ${directoryUrl} and ${by} and ${where}
        and c.ordered is distinct from false and c.created_at > ${since}
      order by c.created_at desc limit ${max}
    ) as times
    from unnest(${[...keys]}::text[]) as k (key)`;
}

/** Times before which a CA accepts no orders of our account, or below a registered domain (`ca_pauses`). */
@Injectable()
export class CaPausesRepository {
  async pauseAccount(db: Database, directoryUrl: string, until: Date, detail: string): Promise<void> {
    await this.pause(db, { directoryUrl, apexName: '' }, until, detail);
  }

  async pauseApex(db: Database, directoryUrl: string, apexName: string, until: Date, detail: string): Promise<void> {
    await this.pause(db, { directoryUrl, apexName }, until, detail);
  }

  /** The pauses of our accounts, and of some registered domains. */
  async find(db: Database, apexNames: readonly string[], now: Date): Promise<CaPauses> {
    const rows = await db
      .selectFrom('ca_pauses')
      .select(['directory_url as directoryUrl', 'apex_name as apexName', 'paused_until as until'])
      .where('paused_until', '>', now)
      .where(sql<boolean>`apex_name = any(${['', ...apexNames]})`)
      .execute();
    const ends = new Map(rows.map(({ until, directoryUrl, apexName }) => [`${directoryUrl} ${apexName}`, until]));
    return {
      ofAccount: (directoryUrl) => ends.get(`${directoryUrl} `) ?? null,
      ofApex: (directoryUrl, apexName) => ends.get(`${directoryUrl} ${apexName}`) ?? null,
    };
  }

  private async pause(
    db: Database,
    { directoryUrl, apexName }: { readonly directoryUrl: string; readonly apexName: string },
    until: Date,
    detail: string,
  ): Promise<void> {
    await sql`
      insert into ca_pauses as p (directory_url, apex_name, paused_until, detail)
      values (${directoryUrl}, ${apexName}, ${until}, ${detail})
      on conflict (directory_url, apex_name) do update
      set paused_until = excluded.paused_until, detail = excluded.detail
      where p.paused_until < excluded.paused_until`.execute(db);
  }
}
