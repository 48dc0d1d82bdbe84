import { limitNames, type LimitName } from '@pets/contracts';
import { sql, type RawBuilder } from 'kysely';
import type { Limits } from '../../http/principal.js';
import type { Config } from '../../platform/config.js';

/** Values by name, from the rows: may have unknown names, and lacks limits without a row. */
export type LimitRows = Readonly<Record<string, number>>;

export type LimitSettings = Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'EVENT_STREAMS_PER_KEY'>;

/**
 * The limit rows of an organization, its own before those of its plan, for a statement that reads `organizations`. Two
 * primary key lookups, so that one query finds a principal with its limits.
 */
export const limitRows: RawBuilder<LimitRows> = sql`(
  coalesce(
    (select jsonb_object_agg(l.name, l.value) from plan_limits l where l.plan = organizations.plan),
    '{}'
  ) || coalesce(
    (select jsonb_object_agg(l.name, l.value) from organization_limits l where l.organization_id = organizations.id),
    '{}'
  )
)`;

/** Combines rows and settings. A limit with neither is 0. */
export function resolveLimits(rows: LimitRows, settings: LimitSettings): Limits {
  const { RATE_LIMIT_PER_MINUTE, EVENT_STREAMS_PER_KEY } = settings;
  const defaults: Partial<Record<LimitName, number>> = {
    requestsPerMinute: RATE_LIMIT_PER_MINUTE,
    eventStreams: EVENT_STREAMS_PER_KEY,
  };
  const limits = Object.fromEntries(limitNames.map((name) => [name, rows[name] ?? defaults[name] ?? 0])) as Record<
    LimitName,
    number
  >; // every name is there
  return RATE_LIMIT_PER_MINUTE === 0 ? { ...limits, requestsPerMinute: Infinity } : limits;
}
