import type { OrderStatus, PetStatus } from '@pets/contracts';
import type { Generated, GeneratedAlways } from 'kysely';
import type { CreatedAt } from './column-types.js';

export interface PetTable {
  id: Generated<bigint>;
  organization_id: string;
  name: string;
  category_id: bigint;
  status: PetStatus;
  created_at: CreatedAt;
  /** Id, name, category and status as JSON text. PostgreSQL writes it. */
  as_json: GeneratedAlways<string>;
}

export interface OrderTable {
  id: Generated<bigint>;
  organization_id: string;
  pet_id: bigint;
  quantity: number;
  status: Generated<OrderStatus>;
  created_at: CreatedAt;
}

/** Calls of a deprecated operation, by key and day. No foreign keys: counting must not block other writes. */
export interface DeprecatedCallTable {
  operation: string;
  day: string;
  api_key_id: string;
  calls: bigint;
}
