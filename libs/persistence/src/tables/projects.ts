import type { DomainConfig, Hsts } from '@pets/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { CreatedAt, JsonWithDefault } from './column-types.js';

export interface ProjectTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  slug: string;
  domain_config: JsonWithDefault<DomainConfig>;
  /** Strict-Transport-Security; null for none. */
  hsts: ColumnType<Hsts | null, string | null | undefined, string | null>;
  /** Number of the newest history entry of the project. */
  event_number: Generated<bigint>;
  /** Number of changes of its domains without a history entry. */
  change_number: Generated<bigint>;
  created_at: CreatedAt;
}
