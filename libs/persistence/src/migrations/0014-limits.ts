import { sql, type Kysely } from 'kysely';

/**
 * What a plan allows, and where an organization may do more or less than its plan says. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// JSON numbers are exact up to here.
const limitValue = `value bigint not null check (value between 0 and 9007199254740991)`;

const statements = [
  // Names are checked by the code: a later version adds a limit with rows, and this one passes over names it does not know.
  `create table plan_limits (
    plan text not null,
    name text not null,
    ${limitValue},
    primary key (plan, name)
  )`,
  `create table organization_limits (
    organization_id uuid not null references organizations on delete cascade,
    name text not null,
    ${limitValue},
    primary key (organization_id, name)
  )`,
  // requestsPerMinute and eventStreams have no rows: for plans without one RATE_LIMIT_PER_MINUTE and EVENT_STREAMS_PER_KEY
  // decide, as they did before there were rows.
  `insert into plan_limits (name, plan, value)
    select name, plan, value
    from (values
      ('domainsPerProject', 0, 50, 50),
      ('projects', 10, 100, 1000),
      ('apiKeys', 100, 100, 100),
      ('webhookEndpoints', 20, 20, 20),
      ('concurrentUploads', 2, 5, 10),
      ('storageBytes', 1073741824, 21474836480, 214748364800),
      ('keptDeployments', 10, 20, 50)
    ) as seed (name, free, pro, enterprise),
    lateral (values ('free', free), ('pro', pro), ('enterprise', enterprise)) as of_plan (plan, value)`,
];
