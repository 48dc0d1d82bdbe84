import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestApi, type TestApi } from '../harness.js';
import {
  createSigningKey,
  endless,
  leaveUnsigned,
  sendJson,
  signHs256,
  signRs256,
  startHostileProvider,
  type HostileProvider,
  type ProviderPath,
} from './hostile-provider.js';
import { beginSignIn, CALLBACK, callBack, fromDashboard } from './person-client.js';

/**
 * Answers that a provider, or somebody who sits between, may send. Each sign-in ends with a reason: without a limit of its
 * own, it would outlast that of its test.
 */

let provider: HostileProvider;
let api: TestApi;
beforeAll(async () => {
  provider = await startHostileProvider();
  api = await startTestApi({ ...provider.settings, OIDC_NAME: 'Acme ID', SIGN_INS_PER_MINUTE: '0' });
});
afterEach(() => provider.answers.clear());
afterAll(async () => {
  await api.close();
  await provider.stop();
});

type IdTokenOf = (claims: Record<string, unknown>) => string;

const properly: IdTokenOf = (claims) => signRs256(claims, provider.key);

/** A complete sign-in. @returns the reason of its refusal: of an identity that is known to be right, `no_organization` */
async function attempt(idTokenOf = properly): Promise<string | undefined> {
  const { location, cookie } = await beginSignIn(api);
  provider.idToken = idTokenOf(provider.claims(location.searchParams.get('nonce')));
  const callback = new URL(CALLBACK);
  callback.searchParams.set('code', 'c');
  callback.searchParams.set('state', location.searchParams.get('state') ?? '');
  const signedIn = await callBack(api, callback, cookie);
  expect(signedIn.cookie).toBe('');
  return signedIn.refusal?.reason;
}

describe('an id token', () => {
  it('that is right identifies somebody', async () => {
    expect(await attempt()).toBe('no_organization');
  });

  it.each<[string, IdTokenOf]>([
    [
      'signed with another key of the same id',
      (claims) => signRs256(claims, { ...createSigningKey(), kid: provider.key.kid }),
    ],
    ['signed with a key that is not announced', (claims) => signRs256(claims, createSigningKey())],
    ['not signed', leaveUnsigned],
    ['signed with the secret of the client', (claims) => signHs256(claims, provider.settings.OIDC_CLIENT_SECRET)],
    [
      'signed with the public key as a secret',
      (claims) => signHs256(claims, String(provider.key.publicKey.export({ type: 'spki', format: 'pem' }))),
    ],
    [
      'changed after it was signed',
      (claims) =>
        properly(claims).replace(
          /\.[^.]*\./,
          `.${Buffer.from(JSON.stringify({ ...claims, sub: 'ada' })).toString('base64url')}.`,
        ),
    ],
    ['of another issuer', (claims) => properly({ ...claims, iss: 'https://evil.example' })],
    ['for another client', (claims) => properly({ ...claims, aud: 'other' })],
    [
      'for several, of which another was authorized',
      (claims) => properly({ ...claims, aud: ['pets', 'other'], azp: 'other' }),
    ],
    ['expired', (claims) => properly({ ...claims, exp: Math.floor(Date.now() / 1_000) - 120 })],
    ['without an end', (claims) => properly({ ...claims, exp: undefined })],
    ['with another nonce', (claims) => properly({ ...claims, nonce: 'x' })],
    ['without a nonce', (claims) => properly({ ...claims, nonce: undefined })],
    ['of nobody', (claims) => properly({ ...claims, sub: undefined })],
    ['that is none', () => 'x.y.z'],
    ['that is missing', () => ''],
  ])('%s is refused', async (_name, idTokenOf) => {
    expect(await attempt(idTokenOf)).toBe('provider_failed');
  });

  it('signed with a new key of the provider is accepted at once', async () => {
    expect(await attempt()).toBe('no_organization');
    provider.key = createSigningKey();
    expect(await attempt()).toBe('no_organization');
  });
});

describe('the provider, after the person has signed in there,', () => {
  it('cannot speak about somebody else at its userinfo endpoint', async () => {
    provider.answers.set('/userinfo', (_request, response) => sendJson(response, { sub: 'ada', name: 'Ada' }));
    expect(await attempt()).toBe('provider_failed');
  });

  const cases = (['/token', '/keys', '/userinfo'] as const).flatMap((path) =>
    (['never answers', 'sends a byte now and then', 'sends megabytes'] as const).map((way) => [path, way] as const),
  );

  it.each(cases)('at %s, %s: the sign-in ends, and the connection', async (path, way) => {
    provider.answers.set(path, endless[way]);
    expect(await attempt()).toBe(way === 'sends megabytes' ? 'provider_failed' : 'provider_unavailable');
    await waitUntil(() => provider.open.size === 0, { message: 'the connection to end' });
  });

  it.each<ProviderPath>(['/token', '/keys', '/userinfo'])('leads nowhere else from %s', async (path) => {
    const { requests, ...internal } = await startInternalService();
    provider.answers.set(path, (_request, response) => response.writeHead(307, { location: internal.url }).end());
    expect(await attempt()).toBe('provider_failed');
    expect(requests).toEqual([]);
    await internal.stop();
  });

  it.each([
    ['is down', 503, 'provider_unavailable'],
    ['refuses us', 401, 'provider_failed'],
  ])('%s', async (_name, status, reason) => {
    provider.answers.set('/token', (_request, response) => response.writeHead(status).end('<h1>Oops</h1>'));
    expect(await attempt()).toBe(reason);
  });
});

describe('the description of the provider', () => {
  const PATH = '/.well-known/openid-configuration';
  const begin = async () => {
    // The others keep what they have discovered.
    const replica = await api.startReplica();
    const options = { body: { returnTo: '/dashboard/' }, headers: fromDashboard };
    const { status, body } = await replica.request('POST', '/dashboard/sign-in/oidc', options);
    return [status, body.message];
  };
  const down = [503, 'Acme ID does not answer. Try again shortly.'];
  const unusable = [503, 'Sign-in with single sign-on is not available. Ask the operator to check its settings.'];

  it.each([
    ['never answers', down],
    ['sends a byte now and then', down],
    ['sends megabytes', unusable],
  ] as const)('%s', async (way, answer) => {
    provider.answers.set(PATH, endless[way]);
    expect(await begin()).toEqual(answer);
  });

  it('of another issuer is refused, and so is one that is no JSON', async () => {
    provider.answers.set(PATH, (_request, response) => sendJson(response, { issuer: 'https://evil.example' }));
    expect(await begin()).toEqual(unusable);
    provider.answers.set(PATH, (_request, response) => response.setHeader('content-type', 'application/json').end('{'));
    expect(await begin()).toEqual(unusable);
  });

  it('is not read elsewhere', async () => {
    const { requests, ...internal } = await startInternalService();
    provider.answers.set(PATH, (_request, response) => response.writeHead(302, { location: internal.url }).end());
    expect(await begin()).toEqual(unusable);
    expect(requests).toEqual([]);
    await internal.stop();
  });
});

/** A service that only this machine reaches. */
async function startInternalService() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    sendJson(response, {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  return {
    requests,
    url: `http://127.0.0.1:${port}/secret`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
