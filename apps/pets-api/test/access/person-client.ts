import type { CreatedInvitation, Role, SignInState, SignInTarget } from '@pets/contracts';
import { signInAtProvider, startIdentityProvider, type IdentityProvider } from '@pets/testing';
import type { Clock } from '../../src/platform/clock.js';
import { startTestApi, type ApiReplica, type RequestOptions, type TestApi } from '../harness.js';

export const ORIGIN = 'https://api.example';
export const CALLBACK = `${ORIGIN}/dashboard/sign-in/callback`;

/** Headers of the dashboard's own requests. */
export const fromDashboard = { origin: ORIGIN, 'x-csrf': '1', 'sec-fetch-site': 'same-origin' };

interface SignInOptions {
  readonly returnTo?: string;
  readonly invitation?: string;
  /** Cookie that the browser had before. */
  readonly cookie?: string;
}

/** Begins a sign-in as the dashboard does. */
export async function beginSignIn(
  api: ApiReplica,
  { returnTo = '/dashboard/', invitation, cookie }: SignInOptions = {},
): Promise<{ readonly location: URL; readonly cookie: string }> {
  const answer = await api.request<SignInTarget>('POST', '/dashboard/sign-in/oidc', {
    body: { returnTo, ...(invitation !== undefined && { invitation }) },
    headers: { ...fromDashboard, ...(cookie !== undefined && { cookie }) },
  });
  if (answer.status !== 200) throw new Error(`the sign-in did not begin: ${answer.text}`);
  return { location: new URL(answer.body.location), cookie: firstCookie(answer.headers) };
}

interface SignedIn {
  /** Cookie of the session; empty without one. */
  readonly cookie: string;
  readonly location: string | null;
  readonly refusal: SignInState['refusal'];
}

/** Signs in at the provider. @returns the URL of the callback with its query */
export function visitProvider(location: URL, account: string | null): Promise<URL> {
  return signInAtProvider(location, account, CALLBACK);
}

/** Goes to the callback as the provider sends a browser there. */
export async function callBack(api: ApiReplica, url: URL, cookie: string): Promise<SignedIn> {
  const response = await fetch(api.url + url.pathname + url.search, {
    headers: { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    redirect: 'manual',
  });
  if (response.status !== 303) throw new Error(`the callback answers ${response.status} ${await response.text()}`);
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  const session = cookies.find((each) => each.startsWith('__Host-session='));
  const state = await api.request<SignInState>('GET', '/dashboard/sign-in', {
    headers: { cookie: cookies.join('; ') },
  });
  return { cookie: session ?? '', location: response.headers.get('location'), refusal: state.body.refusal };
}

/** The complete sign-in of an account. */
export async function signIn(api: ApiReplica, account: string, options: SignInOptions = {}): Promise<SignedIn> {
  const { location, cookie } = await beginSignIn(api, options);
  return callBack(api, await visitProvider(location, account), cookie);
}

/** Invites somebody with an API key. @returns the token */
export async function invite(api: ApiReplica, key: string, role: Role): Promise<string> {
  const body = { name: 'Somebody', role };
  const answer = await api.request<CreatedInvitation>('POST', '/v1/invitations', { key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return new URL(answer.body.url).hash.slice(1);
}

/** A request of the dashboard, as the person of a cookie. */
export function asPerson(cookie: string, options: RequestOptions = {}): RequestOptions {
  return { ...options, headers: { cookie, ...fromDashboard, ...options.headers } };
}

function firstCookie(headers: Headers): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export interface SignInFixture {
  readonly provider: IdentityProvider;
  readonly api: TestApi;
  close(): Promise<void>;
}

/** An API with an identity provider, at which anybody signs in as often as they like. */
export async function startSignInFixture(settings: Record<string, string> = {}, clock?: Clock): Promise<SignInFixture> {
  const provider = await startIdentityProvider(CALLBACK);
  const api = await startTestApi({ ...provider.settings, SIGN_INS_PER_MINUTE: '0', ...settings }, clock);
  const close = async () => {
    await api.close();
    await provider.stop();
  };
  return { provider, api, close };
}
