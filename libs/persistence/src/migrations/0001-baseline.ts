import { sql, type Kysely } from 'kysely';
import { access } from './baseline/access.js';
import { certificates } from './baseline/certificates.js';
import { domains } from './baseline/domains.js';
import { edge } from './baseline/edge.js';
import { history } from './baseline/history.js';
import { operations } from './baseline/operations.js';
import { projects } from './baseline/projects.js';
import { store } from './baseline/store.js';
import { webhooks } from './baseline/webhooks.js';

/** The whole schema of 1.0, in the order of its references. Rewritten in place until 1.0 is tagged, and frozen then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  ...access,
  ...store,
  ...projects,
  ...domains,
  ...history,
  ...certificates,
  ...edge,
  ...webhooks,
  ...operations,
];
