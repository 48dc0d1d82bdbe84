import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider, type Configuration } from 'oidc-provider';

/** Facts that the provider knows about a person, by claim. */
type AccountClaims = Readonly<Record<string, unknown>>;

/** A real OpenID Connect provider on loopback, with a page where one signs in by the name of an account. */
export interface IdentityProvider {
  readonly issuer: string;
  /** For pets-api, without the settings that a test chooses. */
  readonly settings: {
    readonly OIDC_ISSUER_URL: string;
    readonly OIDC_CLIENT_ID: string;
    readonly OIDC_CLIENT_SECRET: string;
  };
  /** Adds an account, or changes its claims. Its name is the subject. */
  setAccount(subject: string, claims: AccountClaims): void;
  stop(): Promise<void>;
}

/** @param redirectUri the only one that the provider accepts; after a sign-out it leads to the page two levels above */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  // Another site than 127.0.0.1, as the provider of an operator is another site than the dashboard.
  const issuer = `http://localhost:${port}`;
  const accounts = new Map<string, AccountClaims>();
  const client = {
    client_id: 'pets',
    client_secret: randomUUID(),
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [new URL('../', redirectUri).href],
  };
  const provider = new Provider(issuer, configurationOf(client, accounts));
  const serve = provider.callback();
  server.on('request', (request, response) => {
    const isPage = request.url?.startsWith('/login/') === true;
    if (!isPage) return void serve(request, response);
    login(provider, accounts, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    issuer,
    settings: {
      OIDC_ISSUER_URL: issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
    },
    setAccount: (subject, claims) => void accounts.set(subject, claims),
    stop: () => stop(server),
  };
}

function configurationOf(
  client: NonNullable<Configuration['clients']>[number],
  accounts: ReadonlyMap<string, AccountClaims>,
): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub', 'organization', 'role'], profile: ['name'], email: ['email'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, subject) => {
      const claims = accounts.get(subject);
      return claims && { accountId: subject, claims: () => ({ ...claims, sub: subject }) };
    },
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  };
}

const page = `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1>
<form method="post"><label>Account <input name="account"></label><button>Continue</button>
<button name="cancel" value="1">Cancel</button></form></html>`;

async function login(
  provider: Provider,
  accounts: ReadonlyMap<string, AccountClaims>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const accountId = form.get('account') ?? '';
  const refused = { error: 'access_denied', error_description: '<script>alert("of the provider")</script>' };
  const isKnown = !form.has('cancel') && accounts.has(accountId);
  await provider.interactionFinished(request, response, isKnown ? { login: { accountId } } : refused);
}

/**
 * Signs in as a browser without a session there.
 * @param account null cancels
 * @returns the URL of the callback with its query, which this does not visit
 */
export async function signInAtProvider(location: URL, account: string | null, redirectUri: string): Promise<URL> {
  const jar = new Map<string, string>();
  let form: string | null = null;
  for (let url = location; ;) {
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
    const body = form === null ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const answer: Response = await fetch(url, { headers, redirect: 'manual', ...body });
    form = null;
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      jar.set(name, value);
    }
    const target = answer.headers.get('location');
    if (target === null) {
      if (answer.status !== 200 || jar.size === 0) throw new Error(`the provider answers ${answer.status}`);
      form = account === null ? 'cancel=1' : `account=${account}`;
      continue;
    }
    url = new URL(target, url);
    if (url.href.startsWith(redirectUri)) return url;
  }
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
