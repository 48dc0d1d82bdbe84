/**
 * The identity provider of the operator, over OpenID Connect: authorization code flow with PKCE, state and nonce. The issuer
 * is discovered when somebody signs in, so a provider that is down stops neither the start nor API keys.
 */
import { Inject, Injectable } from '@nestjs/common';
import { PromiseCache } from '@pets/async';
import { roles, type Role, type SignInRefusal } from '@pets/contracts';
import { RequestError, type Logger } from '@pets/platform';
import * as oidc from 'openid-client';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CONFIG, LOG } from '../../platform/providers.js';
import { isUuid } from '../../platform/uuid.js';
import type { Profile, Subject } from '../people/people.repository.js';
import type { SignInProgress } from './sign-in-cookie.js';

/** Claims of the provider about a person who has signed in. */
export interface Identity extends Subject, Profile {
  /** All claims, for the ones that the operator has chosen. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** OpenID Connect Core §2: the subject has at most 255 ASCII characters. */
const MAX_SUBJECT = 255;
const MAX_SHOWN = 200;

/** Null for a subject that no provider may send. */
export function identityOf(claims: Readonly<Record<string, unknown>>): Identity | null {
  const { iss: issuer, sub: subject } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string') return null;
  if (subject.length > MAX_SUBJECT || !/^[\x20-\x7e]+$/.test(subject)) return null;
  const name = shownText(claims['name']) ?? shownText(claims['preferred_username']);
  return { issuer, subject, name, email: shownText(claims['email']), claims };
}

/** Text without control and bidirectional override characters, and not too long for a list. */
function shownText(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null;
  const text = value
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .normalize('NFC');
  return text === '' ? null : [...text].slice(0, MAX_SHOWN).join('');
}

/** The id of the organization in a claim: a text, or a list of one. Ids may be in upper case there, never in the database. */
export function organizationIn(claims: Identity['claims'], name: string | undefined): string | null {
  const value = name === undefined ? undefined : claims[name];
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof only === 'string' && isUuid(only) ? only.toLowerCase() : null;
}

/** Whether a claim names an organization, alone or with others. */
export function namesOrganization(claims: Identity['claims'], name: string, organizationId: string): boolean {
  const value = claims[name];
  const named: readonly unknown[] = Array.isArray(value) ? value : [value];
  return named.some((each) => typeof each === 'string' && each.toLowerCase() === organizationId);
}

/** The highest role that a claim names. */
export function roleIn(claims: Identity['claims'], name: string | undefined): Role | null {
  const value = name === undefined ? undefined : claims[name];
  const named: readonly unknown[] = Array.isArray(value) ? value : [value];
  return roles.find((role) => named.includes(role)) ?? null;
}

const DISCOVERED_MS = 60 * 60_000;
/** For each request to the provider. */
const TIMEOUT_S = 5;

/** The values of one sign-in that the callback checks. */
type Checks = Pick<SignInProgress, 'state' | 'nonce' | 'verifier'>;

type SignInOutcome = { readonly identity: Identity } | { readonly refused: SignInRefusal['reason'] };

@Injectable()
export class IdentityProvider {
  private readonly discovered = new PromiseCache<oidc.Configuration>({ maxEntries: 1, ttlMs: DISCOVERED_MS });
  private readonly redirectUri: string;
  private readonly signedOutUri: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.signedOutUri = `${dashboardOriginOf(config)}/dashboard/`;
    this.redirectUri = `${this.signedOutUri}sign-in/callback`;
  }

  /** For the sign-in page; null if people cannot sign in. */
  get description(): { readonly name: string } | null {
    return this.config.OIDC_ISSUER_URL === undefined ? null : { name: this.config.OIDC_NAME };
  }

  /**
   * Begins a sign-in.
   * @throws RequestError `not_found` without a provider, `unavailable` if it does not answer
   */
  async beginSignIn(): Promise<Checks & { readonly location: string }> {
    const provider = await this.discover().catch((error: unknown) => {
      if (error instanceof RequestError) throw error;
      const isDown = isOutage(error);
      this.log.warn(
        { err: error },
        isDown
          ? 'identity provider did not respond; sign-in not started'
          : 'identity provider refused or misconfigured; sign-in not started',
      );
      throw new RequestError(
        'unavailable',
        isDown
          ? `${this.config.OIDC_NAME} does not answer. Try again shortly.`
          : 'Sign-in with single sign-on is not available. Ask the operator to check its settings.',
      );
    });
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.redirectUri,
      scope: this.config.OIDC_SCOPES,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { state, nonce, verifier, location: url.href };
  }

  /**
   * Exchanges the code. The library checks state, issuer, and signature, audience, expiry and nonce of the id token.
   * @param query of the callback, as it came
   */
  async finish(query: string, { state, nonce, verifier }: Checks): Promise<SignInOutcome> {
    try {
      // The library keeps the keys of a configuration for a minute at least, in which those of a new set would be refused.
      const provider = await this.discoverNow();
      const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${this.redirectUri}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) return { refused: 'provider_failed' };
      const identity = identityOf({ ...(await this.userInfo(provider, tokens.access_token, claims.sub)), ...claims });
      return identity === null ? { refused: 'provider_failed' } : { identity };
    } catch (error) {
      return { refused: this.refusalOf(error) };
    }
  }

  /**
   * Returns the URL at which a person ends their session at the provider (OpenID Connect RP-Initiated Logout 1.0 §2).
   * It gets no id token, which would have to be kept for it: providers ask the person instead.
   * @returns null if the operator does not want it, or the provider has no such page or does not answer
   */
  async signOutLocation(): Promise<string | null> {
    if (!this.config.OIDC_SIGN_OUT) return null;
    try {
      const provider = await this.discover();
      if (provider.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: this.signedOutUri }).href;
    } catch (error) {
      this.log.warn({ err: error }, 'identity provider did not respond; session ended at pets-api only');
      return null;
    }
  }

  /** Many providers send names and other claims only here. */
  private async userInfo(provider: oidc.Configuration, accessToken: string, subject: string) {
    if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
    return oidc.fetchUserInfo(provider, accessToken, subject);
  }

  /** The texts of the provider go to the log only. */
  private refusalOf(error: unknown): SignInRefusal['reason'] {
    if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied') return 'denied';
    const reason = isOutage(error) ? 'provider_unavailable' : 'provider_failed';
    const { message, code, cause } = error as Error & { code?: unknown };
    const detail = cause instanceof Error ? cause.message : undefined;
    this.log.warn({ reason, message, code, detail }, 'sign-in with the identity provider failed');
    return reason;
  }

  /** Configuration of the provider, as it was within the last hour. */
  private discover(): Promise<oidc.Configuration> {
    return this.discovered.get('', () => this.discoverNow());
  }

  private async discoverNow(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER_URL: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = this.config;
    if (issuer === undefined || id === undefined || secret === undefined)
      throw new RequestError('not_found', 'The operator has not set up an identity provider. Use an API key.');
    const isLocal = issuer.startsWith('http:');
    return oidc.discovery(new URL(issuer), id, undefined, authenticateWith(secret), {
      timeout: TIMEOUT_S,
      [oidc.customFetch]: boundedFetch,
      // The settings allow http in development, for this machine only.
      execute: isLocal ? [checkSignatures, oidc.allowInsecureRequests] : [checkSignatures],
    });
  }
}

/** Over TLS they are optional (OpenID Connect Core §3.1.3.7), and the library leaves them out. */
const checkSignatures = oidc.enableNonRepudiationChecks;

/** Whether the provider did not answer in time, or with an error of its own. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.cause instanceof Response) return error.cause.status >= 500;
  return error instanceof TypeError || /abort|timeout|fetch failed/i.test(`${error.name} ${String(error.cause)}`);
}

/**
 * Authenticates with HTTP Basic, as OpenID Connect Discovery §3 presumes, unless the provider supports only the body.
 */
function authenticateWith(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** More than any provider's metadata, keys or tokens. */
const MAX_BYTES = 1024 * 1024;

/** `fetch` that follows no redirect and reads at most a megabyte. The signal in `options` limits the time. */
async function boundedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The body of a fetch is bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`the answer of ${new URL(url).origin} is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(length === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
}
