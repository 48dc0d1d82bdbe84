import { Body, Controller, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { SignInRefusal, SignInStart, SignInTarget } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { Authenticator } from '../api-keys/authenticator.js';
import { actAs } from '../audit/requester.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import { asPerson, MembershipService } from '../oidc/membership.service.js';
import {
  clearSignInCookie,
  clearSuperfluous,
  progressCookieOf,
  REFUSAL_COOKIE,
  SignInCookies,
  type SignInProgress,
} from '../oidc/sign-in-cookie.js';
import { findForgery, readCookie, SESSION_COOKIE, setSessionCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';

const startSchema = z.strictObject({ returnTo: z.string().max(2_000), invitation: z.string().max(100).optional() });

/**
 * The sign-in with the identity provider. The dashboard asks for the address of the provider and goes there; the provider
 * sends the browser back to the callback, which opens the session and goes to the page that was open.
 */
@Controller('dashboard/sign-in')
export class OidcSignInController {
  private readonly origin: string;
  private readonly cookies: SignInCookies;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly memberships: MembershipService,
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    this.origin = dashboardOriginOf(config);
    this.cookies = new SignInCookies(config.APP_SECRET);
  }

  @Post('oidc')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async beginOidcSignIn(
    @Body({ schema: startSchema }) { returnTo, invitation }: SignInStart,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignInTarget> {
    // Or another page could begin a sign-in with an invitation of its choice.
    const forgery = findForgery(request, this.origin);
    if (forgery !== null) throw forgery;
    const { location, ...checks } = await this.provider.beginSignIn();
    const kept = {
      returnTo: returnPathOf(returnTo, this.origin),
      invitation: invitation ?? null,
      former: await this.findFormer(request),
    };
    const cookie = this.cookies.set({ kind: 'progress', ...checks, ...kept }, this.clock());
    reply.header('set-cookie', [cookie, ...clearSuperfluous(request.headers.cookie)]);
    return { location };
  }

  /** Always leads to a page of the dashboard, which asks for the session, or for the reason why there is none. */
  @Get('callback')
  @Header('cache-control', 'no-store')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const now = this.clock();
    const name = progressCookieOf(stateIn(request.url));
    const progress = this.cookies.readSignIn(readCookie(request.headers.cookie, name), 'progress', now);
    const outcome = progress === null ? refuse('expired') : await this.signIn(progress, request, now);
    const cookies =
      'session' in outcome
        ? [outcome.session, clearSignInCookie(REFUSAL_COOKIE)]
        : [this.cookies.set({ kind: 'refusal', ...outcome }, now)];
    if (progress !== null) cookies.push(clearSignInCookie(name));
    await reply
      .code(303)
      .header('set-cookie', cookies)
      .header('referrer-policy', 'no-referrer')
      .header('location', progress?.returnTo ?? '/dashboard/')
      .send();
  }

  private async signIn(
    progress: SignInProgress,
    request: FastifyRequest,
    now: Date,
  ): Promise<SignInRefusal | { readonly session: string }> {
    const outcome = await this.provider.finish(queryOf(request.url), progress);
    if ('refused' in outcome) return refuse(outcome.refused);
    const { identity } = outcome;
    const from = { address: request.clientAddress, requestId: request.id };
    const membership = await this.memberships.resolve(identity, progress.invitation, from, now);
    if ('refused' in membership) return refuse(membership.refused, identity.name ?? identity.email);
    const { person } = membership;
    return actAs(asPerson(person, from), async () => {
      const { secret, endsAt } = await this.sessions.open(this.db, person, now);
      if (progress.former !== null) await this.sessions.endFormer(progress.former, person.organizationId);
      return { session: setSessionCookie(secret, endsAt, now) };
    }).catch((error: unknown) => {
      // Removed between the two transactions.
      if (error instanceof RequestError && error.code === 'invalid_api_key') return refuse('removed');
      throw error;
    });
  }

  private async findFormer({ headers, clientAddress }: FastifyRequest): Promise<SignInProgress['former']> {
    const key = readCookie(headers.cookie, SESSION_COOKIE);
    const former = key === null ? null : await this.authenticator.findPrincipal(key, clientAddress);
    if (former === null || former.sessionId === null) return null;
    return { id: former.sessionId, organizationId: former.organizationId };
  }
}

/** Returns the query as it came, from its question mark on. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

/** The state says which sign-in this is. Whether it is the right one, the content of its cookie says. */
function stateIn(url: string): string {
  return new URLSearchParams(queryOf(url)).get('state') ?? '';
}

function refuse(reason: SignInRefusal['reason'], name: string | null = null): SignInRefusal {
  return { reason, name };
}

/** A person returns to a page of the dashboard and to nothing else. */
const START_PAGE = '/dashboard/';

const MAX_LENGTH = 1_000;

/**
 * The path of the dashboard to which a person returns after the sign-in; its start page instead of any other address.
 * Browsers read `//host` and `/\host` as another host, ignore tabs and line feeds, and resolve dots.
 */
export function returnPathOf(text: string, dashboardOrigin: string): string {
  if (text.length > MAX_LENGTH || !/^\/dashboard(?:[/?#]|$)/.test(text) || /[\\\p{Cc}]/u.test(text)) return START_PAGE;
  const url = URL.parse(text, dashboardOrigin);
  if (url?.origin !== dashboardOrigin || !/^\/dashboard(?:\/|$)/.test(url.pathname)) return START_PAGE;
  // These are no pages, and one of them would start over.
  if (/^\/dashboard\/(?:sign-in|session)\b/.test(url.pathname)) return START_PAGE;
  return url.pathname + url.search + url.hash;
}
