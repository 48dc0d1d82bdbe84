import { Controller, Delete, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Scope, SignInState, SignOutResult } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { Authenticator } from '../api-keys/authenticator.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import { REFUSAL_COOKIE, SignInCookies } from '../oidc/sign-in-cookie.js';
import {
  clearSessionCookie,
  findForgery,
  readCookie,
  SESSION_COOKIE,
  setSessionCookie,
} from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';

/**
 * The session of the dashboard: the key of a session in a cookie that no script can read. All tabs of a browser share it. It is
 * no part of the public API, whose clients keep their key themselves.
 */
@Controller('dashboard')
export class SignInController {
  private readonly origin: string;
  private readonly signIns: SignInCookies;

  constructor(
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
    private readonly provider: IdentityProvider,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    this.origin = dashboardOriginOf(config);
    this.signIns = new SignInCookies(config.APP_SECRET);
  }

  /** The page asks whether its browser has a session: authentication accepts that there is none. */
  @Get('sign-in')
  @Header('cache-control', 'no-store')
  @Header('vary', 'cookie')
  state(@Req() { principal, headers }: FastifyRequest): SignInState {
    const refusal = this.signIns.readSignIn(readCookie(headers.cookie, REFUSAL_COOKIE), 'refusal', this.clock());
    return {
      ...this.stateOf(principal?.sessionId ?? null, principal?.scopes ?? []),
      refusal: refusal === null ? null : { reason: refusal.reason, name: refusal.name },
    };
  }

  /** Exchanges an API key for a session, always a new one. The session that the browser had ends. */
  @Post('session')
  @Header('cache-control', 'no-store')
  async open(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignInState> {
    // Or another page could sign a user in to an organization of its choice.
    const forgery = findForgery(request, this.origin);
    if (forgery !== null) throw forgery;
    if (principal.sessionId !== null) throw new RequestError('forbidden', 'Sign in with an API key.');
    const now = this.clock();
    const { id, secret, endsAt } = await this.sessions.open(this.db, principal, now);
    await this.endFormer(request, principal);
    reply.header('set-cookie', setSessionCookie(secret, endsAt, now));
    return this.stateOf(id, principal.scopes);
  }

  /** Our session ends first, whatever becomes of the one at the identity provider, which only people have. */
  @Delete('session')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async end(
    @CurrentPrincipal() { organizationId, sessionId, person }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignOutResult> {
    if (sessionId === null) throw new RequestError('forbidden', 'Only a session can end itself.');
    await this.sessions.end(organizationId, sessionId);
    reply.header('set-cookie', clearSessionCookie);
    return { location: person === null ? null : await this.provider.signOutLocation() };
  }

  private stateOf(id: string | null, scopes: readonly Scope[]): SignInState {
    return { session: id === null ? null : { id, scopes }, provider: this.provider.description, refusal: null };
  }

  private async endFormer({ headers, clientAddress }: FastifyRequest, { organizationId }: Principal): Promise<void> {
    const key = readCookie(headers.cookie, SESSION_COOKIE);
    const former = key === null ? null : await this.authenticator.findPrincipal(key, clientAddress);
    if (former === null || former.sessionId === null) return;
    await this.sessions.endFormer({ id: former.sessionId, organizationId: former.organizationId }, organizationId);
  }
}
