import { sql, type RawBuilder } from 'kysely';

type SqlType = 'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'timestamptz' | 'jsonb' | 'inet[]';

/** The name of a column as the code spells it: `organization_id` is `organizationId`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Fields of rows that a statement gets as a table, with the SQL types of their values. */
export type RecordColumns<Row extends object> = { readonly [Field in keyof Row & string]?: SqlType };

export function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()) as CamelCase<Name>;
}

/** Columns of a table, each named as the code spells it, for the list of a `select`. */
export function selectList(table: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.raw(columns.map((column) => `${table}.${column} as "${camelCase(column)}"`).join(', '));
}

/** Columns set to the fields of a row of `source`, for the `set` of an update. */
export function assignments(columns: readonly string[], source: string): RawBuilder<unknown> {
  return sql.raw(columns.map((column) => `${column} = ${source}."${camelCase(column)}"`).join(', '));
}

/**
 * Rows as a table of a statement: one parameter, however many rows. Fields without a column are not sent.
 * @example sql`insert into pets (name) select r.name from ${recordset('r', { name: 'text' }, rows)}`
 */
export function recordset<Row extends object>(
  alias: string,
  columns: RecordColumns<Row>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const fields = Object.entries<SqlType | undefined>(columns);
  const sent = rows.map((row) => Object.fromEntries(fields.map(([field]) => [field, Reflect.get(row, field)])));
  const definitions = fields.map(([field, type]) => `"${field}" ${type}`).join(', ');
  return sql`jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as ${sql.raw(`${alias} (${definitions})`)}`;
}
