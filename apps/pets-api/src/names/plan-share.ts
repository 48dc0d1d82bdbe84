import { planShares } from '@pets/domains';
import { sql, type RawBuilder } from 'kysely';

const cases = sql.join(
  Object.entries(planShares).map(([plan, share]) => sql`when ${plan} then ${sql.lit(share)}`),
  sql` `,
);

/** The share of a plan, a column, as an integer. */
export function planShare(plan: RawBuilder<unknown>): RawBuilder<number> {
  return sql`case ${plan} ${cases} end`;
}
