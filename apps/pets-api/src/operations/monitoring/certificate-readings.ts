import { sql, type RawBuilder } from 'kysely';

/** Buckets of the remaining life of certificates, in days. */
export const DAYS_LEFT = [1, 3, 7, 14, 30, 60] as const;

export interface CertificatesPage extends CertificatesInUse {
  /** The last domain; null when the page is not full. */
  readonly next: string | null;
}

export interface CertificatesInUse {
  readonly count: number;
  /** Null where there is none. */
  readonly shortestDaysLeft: number | null;
  /** Certificates that end within each of `DAYS_LEFT`. */
  readonly endingWithin: readonly number[];
}

/**
 * Reads the ends of two indexes. Where no certificate was ever issued, it is the first attempt that counts: its rows have no
 * end, so that `certificates_by_end` has them by the time of the attempt.
 */
export const newestIssueStatement = sql<{ readonly seconds: number | null }>`
  select extract(epoch from now() - coalesce(
    (select max(issued_at) from certificates where state = 'issued'),
    (select min(coalesce(not_after, created_at)) from certificates where origin = 'ordered')
  ))::float8 as seconds`;

/** Reads two indexes, from one served domain to the next, and no other row; a test checks its plan. */
export function certificatesPageStatement(after: string, limit: number): RawBuilder<CertificatesPage> {
  const endingWithin = DAYS_LEFT.map(
    (days) => sql`count(*) filter (where n.not_after <= now() + make_interval(days => ${sql.lit(days)}))::integer`,
  );
  return sql<CertificatesPage>`
    with page as materialized (
      select id from domains where state in ('verified', 'live') and id > ${after}::uuid order by id limit ${limit}
    )
    select count(*)::integer as count, array[${sql.join(endingWithin)}] as "endingWithin",
      (extract(epoch from min(n.not_after) - now()) / 86400)::float8 as "shortestDaysLeft",
      (select id from page order by id offset ${limit - 1}) as next
    from page d cross join lateral (
      select c.not_after from certificates c where c.domain_id = d.id and c.state = 'issued'
      order by c.issued_at desc limit 1
    ) n`;
}

/** The totals of two parts. */
export function addUp(one: CertificatesInUse, other: CertificatesInUse): CertificatesInUse {
  const ends = [one.shortestDaysLeft, other.shortestDaysLeft].filter((days) => days !== null);
  return {
    count: one.count + other.count,
    shortestDaysLeft: ends.length === 0 ? null : Math.min(...ends),
    endingWithin: one.endingWithin.map((count, index) => count + (other.endingWithin[index] ?? 0)),
  };
}
