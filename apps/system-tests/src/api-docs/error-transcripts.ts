import type { ErrorCode } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import pg from 'pg';
import { keyRing, type ApiFixture } from './api-fixture.js';
import { certificateTranscripts } from './certificate-transcripts.js';
import { domainTranscripts } from './domain-transcripts.js';
import type { Arrangement, Transcript } from './run-transcript.js';

const KEY = '-H "Authorization: Bearer $KEY"';

/** One way to each code. They run in the order of the list, so what ends the database is the last. */
export const errorTranscripts: Readonly<Record<ErrorCode, Transcript>> = {
  ...domainTranscripts,
  ...certificateTranscripts,
  invalid_request: { commands: [`curl -i "$API/v1/pets" ${KEY} -H "Authorization: Bearer $KEY"`] },
  invalid_parameter: { commands: [`curl -i "$API/v1/pets" ${KEY} --json '{"name":"","status":"lost"}'`] },
  invalid_cursor: { commands: [`curl -i "$API/v1/pets?cursor=MQ" ${KEY}`] },
  malformed_json: { commands: [`curl -i "$API/v1/pets" ${KEY} --json '{"name":"Rex","name":"Tom","categoryId":1}'`] },
  invalid_logo: {
    commands: [
      `printf '<svg/>' | curl -i -X PUT "$API/v1/setup-page/logo" ${KEY} \\
    -H 'Content-Type: image/png' --data-binary @-`,
    ],
  },
  unauthenticated: { commands: ['curl -i "$API/v1/pets"'] },
  invalid_api_key: { commands: ['curl -i "$API/v1/pets" -H "Authorization: Bearer pets_live_mistyped"'] },
  forbidden: {
    given: '`$KEY` has no scope but `pets:read`.',
    arrange: async ({ createKey }) => ({ variables: { KEY: createKey('pets:read') } }),
    commands: [`curl -i "$API/v1/pets" ${KEY} --json '{"name":"Rex","categoryId":1}'`],
  },
  suspended: {
    given: 'The operator has suspended the organization.',
    arrange: async ({ suspendOrganization }) => ({ variables: { KEY: suspendOrganization() } }),
    commands: [`curl -i "$API/v1/pets" ${KEY} --json '{"name":"Rex","categoryId":1}'`],
  },
  not_found: { commands: [`curl -i "$API/v1/store/orders/4711" ${KEY}`] },
  method_not_allowed: { commands: [`curl -i -X DELETE "$API/v1/pets" ${KEY}`] },
  not_acceptable: { commands: [`curl -i "$API/v1/pets" ${KEY} -H 'Accept: text/html'`] },
  timeout: {
    given: 'The second half of the body never comes; a body other than an upload has 10 seconds.',
    commands: [
      `(printf '{"name":'; sleep 12) | curl -i "$API/v1/pets" ${KEY} \\
    -X POST -T . -H 'Content-Type: application/json' -H 'Expect:'`,
    ],
  },
  conflict: {
    given: 'Animal 2 has been ordered already.',
    commands: [`curl -i "$API/v1/store/orders" ${KEY} --json '{"petId":2,"quantity":1}'`],
  },
  keys_undecided: {
    given: 'Ada made the key “Import”, which is valid.',
    arrange: addPersonWithKey,
    commands: [`curl -i -X DELETE "$API/v1/people/$PERSON" ${KEY}`],
  },
  name_reserved: { commands: [`curl -i "$API/v1/projects" ${KEY} --json '{"name":"Log in","slug":"login"}'`] },
  already_exists: { commands: [`curl -i "$API/v1/projects" ${KEY} --json '{"name":"Docs","slug":"acme-docs"}'`] },
  idempotency_in_progress: {
    given: 'The first request with this key has not been answered yet.',
    arrange: holdOrders,
    commands: [
      `curl -i "$API/v1/store/orders" ${KEY} -H 'Idempotency-Key: 77aa' \\
    --json '{"petId":3,"quantity":1}'`,
    ],
  },
  gone: {
    given: 'From 5 December 2030 on.',
    arrange: async ({ startReplica }) => {
      const program = 'apps/system-tests/src/api-docs/api-after-sunset.mjs';
      return { variables: { API: await startReplica({ program }) } };
    },
    commands: [`curl -i "$API/v1/pets/1" ${KEY}`],
  },
  payload_too_large: {
    commands: [`head -c 65537 /dev/zero | tr '\\0' ' ' | curl -i "$API/v1/pets" ${KEY} --json @-`],
  },
  webhook_limit_reached: {
    given: 'The organization has twenty endpoints already.',
    arrange: async ({ client }) => {
      const body = { url: 'https://hooks.example.com/', eventTypes: ['pet.created' as const] };
      for (let count = 0; count < 20; count++) await client.POST('/v1/webhook-endpoints', { body });
      return {};
    },
    commands: [
      `curl -i "$API/v1/webhook-endpoints" ${KEY} \\
    --json '{"url":"https://hooks.example.com/","eventTypes":["pet.created"]}'`,
    ],
  },
  project_limit_reached: {
    given: '`$KEY` is one of an organization on the free plan, which has ten projects already.',
    arrange: async ({ createFreeTenant }) => {
      const { key, client } = await createFreeTenant('first-docs');
      for (let count = 2; count <= 10; count++)
        await client.POST('/v1/projects', { body: { name: 'Docs', slug: `docs-${count}` } });
      return { variables: { KEY: key } };
    },
    commands: [`curl -i "$API/v1/projects" ${KEY} --json '{"name":"Docs","slug":"one-more"}'`],
  },
  channel_limit_reached: {
    given: '`$PROJECT` is one of an organization on the free plan, with ten channels already.',
    arrange: async ({ createFreeTenant }) => {
      const { key, client, projectId, deploy } = await createFreeTenant('previewed-docs');
      await deploy();
      const { data: [deployment] = [] } = await client.GET('/v1/projects/{projectId}/deployments', {
        params: { path: { projectId } },
      });
      const { id: deploymentId = '' } = deployment ?? {};
      for (let count = 1; count <= 10; count++)
        await client.PUT('/v1/projects/{projectId}/channels/{channel}', {
          params: { path: { projectId, channel: `pr-${count}` } },
          body: { deploymentId },
        });
      return { variables: { KEY: key, PROJECT: projectId, DEPLOYMENT: deploymentId } };
    },
    commands: [
      `curl -i -X PUT "$API/v1/projects/$PROJECT/channels/pr-11" ${KEY} \\
    --json '{"deploymentId":"'$DEPLOYMENT'"}'`,
    ],
  },
  origin_limit_reached: {
    given: '`$PROJECT` is one of an organization that may have no origin.',
    arrange: async ({ createFreeTenant }) => {
      const { key, projectId } = await createFreeTenant('forwarded-docs', { origins: 0 });
      return { variables: { KEY: key, PROJECT: projectId } };
    },
    commands: [`curl -i -X PUT "$API/v1/projects/$PROJECT/origin" ${KEY} --json '{"url":"https://app.example.net"}'`],
  },
  api_key_limit_reached: {
    given: 'The organization has a hundred keys that are neither revoked nor expired.',
    arrange: async ({ createFreeTenant }) => {
      const { key, client } = await createFreeTenant('keyed-docs');
      for (let count = 2; count <= 100; count++)
        await client.POST('/v1/api-keys', { body: { name: `Key ${count}`, scopes: ['pets:read'] } });
      return { variables: { KEY: key } };
    },
    commands: [`curl -i "$API/v1/api-keys" ${KEY} --json '{"name":"One more","scopes":["pets:read"]}'`],
  },
  uri_too_long: { commands: [`curl -i "$API/v1/pets?cursor=$(printf '%04096d' 0)" ${KEY}`] },
  unsupported_media_type: {
    commands: [`curl -i "$API/v1/pets" ${KEY} -H 'Content-Type: application/yaml' -d 'name: Rex'`],
  },
  expectation_failed: { commands: [`curl -i "$API/v1/pets" ${KEY} -H 'Expect: 200-ok'`] },
  idempotency_key_reused: {
    given: 'The key was that of an order for one animal.',
    commands: [
      `curl -i "$API/v1/store/orders" ${KEY} \\
    -H 'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"' --json '{"petId":2,"quantity":2}'`,
    ],
  },
  rate_limited: {
    given: 'The first command uses up the minute’s requests; the limit is the default one.',
    arrange: async ({ createFreeTenant }) => ({ variables: { KEY: (await createFreeTenant('busy-docs')).key } }),
    commands: [`curl -s -o /dev/null "$API/v1/pets?limit=1#[1-1000]" ${KEY}`, `curl -i "$API/v1/pets" ${KEY}`],
    shown: ['ratelimit-policy', 'ratelimit'],
  },
  concurrency_limited: {
    given: 'Another change of the project is under way, and takes longer than two seconds.',
    arrange: holdProject,
    commands: [`curl -i -X PATCH "$API/v1/projects/$PROJECT" ${KEY} --json '{"name":"Docs"}'`],
  },
  headers_too_large: {
    commands: [`curl -i "$API/v1/pets" ${KEY} -H "X-Note: $(printf '%016384d' 0)"`],
  },
  internal: {
    given:
      'No request is known to cause this. Here the operator has made a mistake: the API was started without the key that\n' +
      'encrypts the stored answer to the first request.',
    arrange: async ({ client, startReplica }) => {
      const params = { header: { 'Idempotency-Key': '5f1c' } };
      await client.POST('/v1/pets', { params, body: { name: 'Max', categoryId: 1 } });
      return { variables: { API: await startReplica({ settings: { CERTIFICATE_KEKS: keyRing() } }) } };
    },
    commands: [
      `curl -i "$API/v1/pets" ${KEY} -H 'Idempotency-Key: 5f1c' \\
    --json '{"name":"Max","categoryId":1}'`,
    ],
  },
  unavailable: {
    given: 'The database is down.',
    arrange: async ({ stopDatabase }) => {
      await stopDatabase();
      return {};
    },
    commands: [`curl -i "$API/v1/pets" ${KEY}`],
  },
};

/** Adds a viewer who has made a key. The fixture has no identity provider with which somebody could sign in. */
async function addPersonWithKey({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
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

/** Sends an order under the Idempotency-Key 77aa, and keeps it from ending until it is released. */
async function holdOrders({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
  const holder = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table orders in share row exclusive mode');
  const params = { header: { 'Idempotency-Key': '77aa' } };
  const held = client.POST('/v1/store/orders', { params, body: { petId: 3, quantity: 1 } });
  await waitUntil(
    async () =>
      (await holder.query('select from pg_locks where relation = $1::regclass and not granted', ['orders']))
        .rowCount === 1,
    { message: 'the first order to wait' },
  );
  return {
    release: async () => {
      await holder.query('commit');
      await holder.end();
      await held;
    },
  };
}

/** Sends a change of a project, and keeps it from ending until it is released. `$PROJECT` is the project. */
async function holdProject({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
  const { data } = await client.GET('/v1/projects', {});
  const project = data?.[0];
  if (project === undefined) throw new Error('there is no project');
  const holder = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from projects where id = $1 for update', [project.id]);
  const params = { path: { projectId: project.id } };
  const held = client.PATCH('/v1/projects/{projectId}', { params, body: { name: project.name } });
  const isHeld = async () =>
    (await holder.query(`select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`))
      .rowCount === 1;
  await waitUntil(isHeld, { message: 'the first change to wait' });
  return {
    variables: { PROJECT: project.id },
    release: async () => {
      await holder.query('commit');
      await holder.end();
      await held;
    },
  };
}
