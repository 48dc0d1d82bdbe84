import type { QueryConfig } from 'pg';

/**
 * So many different statements are prepared. Ours are far fewer; but a text that is made up from the number of its values
 * is another one for each number, and PostgreSQL keeps what is prepared for as long as the connection lives.
 */
const MAX_NAMES = 500;

const names = new Map<string, string>();

/**
 * A query whose statement PostgreSQL parses and plans once a connection: for the short ones that is most of the work. It
 * goes on choosing a plan for the values given where that pays (PREPARE, "plan_cache_mode").
 */
export function preparedQuery(text: string, values: readonly unknown[]): QueryConfig {
  return { text, values: [...values], ...(values.length > 0 && named(text)) };
}

function named(text: string): { readonly name: string } | undefined {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MAX_NAMES) return undefined;
  const name = `statement_${names.size}`;
  names.set(text, name);
  return { name };
}
