import type { Pet } from '@pets/contracts';
import type { Tables } from '@pets/persistence';

type PetColumns = Readonly<Record<string, keyof Tables['pets']>>;

/**
 * Every field of an animal and its column, in the order of the JSON. The list, `createPet`, `getPet` and webhooks use
 * it: a new field is a line here.
 */
export const petColumns = {
  id: 'id',
  name: 'name',
  categoryId: 'category_id',
  status: 'status',
} as const satisfies Readonly<Record<keyof Pet, keyof Tables['pets']>>;

/** The columns for a `select`, named as the fields. */
export const petSelection = Object.entries(petColumns)
  .map(([field, column]) => `${column} as "${field}"`)
  .join(', ');

/** The fields of `as_json`. A stored generated column cannot change without a rewrite of the table under its lock. */
const storedFields: ReadonlySet<string> = new Set(['id', 'name', 'categoryId', 'status']);

/** SQL: an animal as JSON text, which is `as_json` with the fields that were added since. */
export function jsonOfPet(columns: PetColumns): string {
  const added = Object.entries(columns).filter(([field]) => !storedFields.has(field));
  const members = added.map(([field, column]) => `',"${field}":' || coalesce(to_json(${column})::text, 'null')`);
  return members.length === 0 ? 'as_json' : `left(as_json, -1) || ${members.join(' || ')} || '}'`;
}
