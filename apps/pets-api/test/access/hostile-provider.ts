import { constants, createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Readonly<Record<string, unknown>>;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const paths = ['/.well-known/openid-configuration', '/keys', '/token', '/userinfo'] as const;
export type ProviderPath = (typeof paths)[number];

/** A key of the provider, and its id. */
interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A provider on loopback whose answers a test replaces one by one. Unchanged, it answers as it should. */
export interface HostileProvider {
  readonly issuer: string;
  readonly settings: Readonly<Record<'OIDC_ISSUER_URL' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET', string>>;
  /** The key that it announces. */
  key: SigningKey;
  /** Id token that the next sign-ins get. */
  idToken: string;
  /** Replaced answers. */
  readonly answers: Map<ProviderPath, Answer>;
  /** Claims of a valid id token. */
  claims(nonce: string | null): Claims;
  /** Answers that have neither ended nor been aborted. */
  readonly open: ReadonlySet<ServerResponse>;
  stop(): Promise<void>;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    const path = paths.find((each) => each === request.url);
    if (path === undefined) return void response.writeHead(404).end();
    const answer = provider.answers.get(path) ?? ((_request, to) => sendJson(to, standard[path]()));
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens at a port
  const standard: Readonly<Record<ProviderPath, () => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      // A provider may announce anything.
      id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'],
    }),
    '/keys': () => {
      const { kid, publicKey } = provider.key;
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] };
    },
    '/token': () => ({ access_token: 'a', token_type: 'Bearer', id_token: provider.idToken }),
    '/userinfo': () => ({ sub: 'mallory', name: 'Mallory' }),
  };
  const provider: HostileProvider = {
    issuer,
    settings: { OIDC_ISSUER_URL: issuer, OIDC_CLIENT_ID: 'pets', OIDC_CLIENT_SECRET: randomUUID() },
    key: createSigningKey(),
    idToken: '',
    answers: new Map(),
    claims: (nonce) => {
      const now = Math.floor(Date.now() / 1_000);
      return { iss: issuer, aud: 'pets', sub: 'mallory', nonce, iat: now, exp: now + 60 };
    },
    open,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

export function createSigningKey(): SigningKey {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

export function signRs256(claims: Claims, { kid, privateKey }: SigningKey): string {
  const input = encode({ alg: 'RS256', kid }, claims);
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, padding: constants.RSA_PKCS1_PADDING });
  return `${input}.${signature.toString('base64url')}`;
}

/** Signed with a secret that both know, such as that of the client, or with a public key as one. */
export function signHs256(claims: Claims, secret: string): string {
  const input = encode({ alg: 'HS256' }, claims);
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export function leaveUnsigned(claims: Claims): string {
  return `${encode({ alg: 'none' }, claims)}.`;
}

function encode(header: object, claims: Claims): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Ways to not answer, or not to end an answer. */
export const endless = {
  'never answers': () => undefined,
  'sends a byte now and then': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  },
  'sends megabytes': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const send = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', send);
    };
    send();
  },
} as const satisfies Readonly<Record<string, Answer>>;
