import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, Project } from '@pets/contracts';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { site } from '../projects/bundles.js';
import { EDGE_TOKEN, startTestApi, type ApiReplica, type TestApi } from '../harness.js';

const GATEWAY_TOKEN = 'gateway-token-of-the-tests-and-of-nothing-else';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startTestApi({ GATEWAY_TOKEN });
  ({ key } = await api.createOrganization('pro'));
  const { body } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'gated' } });
  const headers = { 'content-type': 'application/gzip' };
  await api.request('POST', `/v1/projects/${body.id}/deployments`, { key, body: site, headers });
  const change = (route: EdgeRoute) => ({ projectId: body.id, route, traceParent: null });
  const wildcard: EdgeRoute = { answersChallenges: false, serve: null, certificateId: null };
  await api.db.transaction().execute((tx) =>
    new EdgeFeedRepository(api.db).publish(
      tx,
      new Map([
        ['*.wild.example', change(wildcard)],
        ['excluded.wild.example', change({ ...wildcard, serve: { kind: 'excluded' } })],
      ]),
    ),
  );
});
afterAll(() => api.close());

const basic = (password: string, user = 'gateway') => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const get = async (path: string, authorization?: string, of: ApiReplica = api) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return (await of.request('GET', `/internal/gateway/${path}`, { headers })).status;
};

describe('whether a name may be served', () => {
  it.each([
    ['gated.pets.localhost', 200],
    ['GATED.pets.localhost.', 200],
    ['other.pets.localhost', 404],
    ['docs.example.com', 404],
    ['any.wild.example', 200],
    ['wild.example', 404],
    ['b.any.wild.example', 404],
    ['excluded.wild.example', 404],
    ['%00', 400],
    ['', 400],
  ])('%s: %d', async (domain, status) => {
    expect(await get(`ask?domain=${domain}`, basic(GATEWAY_TOKEN))).toBe(status);
  });
});

describe('a certificate', () => {
  it('is not there for platform hosts, whose certificate pets-api does not have', async () => {
    const path = 'certificate?server_name=gated.pets.localhost&signature_schemes=403&cipher_suites=1301';
    expect(await get(path, basic(GATEWAY_TOKEN))).toBe(404);
  });
});

describe('the token', () => {
  it.each([
    ['as a password', basic(GATEWAY_TOKEN), 200],
    ['as a password of whatever user', basic(GATEWAY_TOKEN, ''), 200],
    ['as a bearer token', `Bearer ${GATEWAY_TOKEN}`, 200],
    ['missing', undefined, 401],
    ['wrong', basic('wrong'), 401],
    ['as a user', basic('', GATEWAY_TOKEN), 401],
    ['that of the edges', `Bearer ${EDGE_TOKEN}`, 401],
    ['malformed', 'Basic !', 401],
  ])('%s', async (_name, authorization, status) => {
    expect(await get('ask?domain=gated.pets.localhost', authorization)).toBe(status);
  });

  it('of gateways is not taken for that of edges', async () => {
    const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` };
    expect((await api.request('GET', '/internal/edge/session', { headers })).status).toBe(401);
  });

  it('is refused, whatever it is, where none is configured', async () => {
    const closed = await api.startReplica({ GATEWAY_TOKEN: '' });
    for (const token of [GATEWAY_TOKEN, EDGE_TOKEN, '', 'undefined'])
      expect(await get('ask?domain=gated.pets.localhost', basic(token), closed)).toBe(401);
  });
});
