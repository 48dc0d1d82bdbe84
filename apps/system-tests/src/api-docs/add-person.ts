import pg from 'pg';
import type { ApiFixture } from './api-fixture.js';
import type { Arrangement } from './run-transcript.js';

/** Adds a viewer who has made a key. The fixture has no identity provider with which somebody could sign in. */
export async function addPersonWithKey({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
  const { data: key } = await client.POST('/v1/api-keys', { body: { name: 'Import', scopes: ['pets:read'] } });
  const db = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await db.connect();
  const { rows } = await db.query<{ id: string }>(
    `with added as (
       insert into people (organization_id, issuer, subject, name, role, last_sign_in_at, api_key_id)
       select organization_id, 'https://id.example', 'ada', 'Ada', 'viewer', now(), null from api_keys where id = $1
       returning id
     )
     update api_keys set person_id = added.id from added where api_keys.id = $1 returning added.id`,
    [key?.id],
  );
  await db.end();
  return { variables: { PERSON: rows[0]?.id ?? '' } };
}
