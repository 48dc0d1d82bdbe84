import type { Generated, GeneratedAlways } from 'kysely';
import type { CreatedAt } from './column-types.js';

export interface PetTable {
  id: Generated<bigint>;
  organization_id: string;
  name: string;
  category_id: bigint;
  status: string;
  created_at: CreatedAt;
  /** The animal as the API answers it. Written by the database. */
  as_json: GeneratedAlways<string>;
}

export interface OrderTable {
  id: Generated<bigint>;
  organization_id: string;
  pet_id: bigint;
  quantity: number;
  status: Generated<string>;
  created_at: CreatedAt;
}

/** How often a key called a deprecated operation on a day. Without foreign keys: counting never stands in the way. */
export interface DeprecatedCallTable {
  operation: string;
  day: string;
  api_key_id: string;
  calls: bigint;
}
