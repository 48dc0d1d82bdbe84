import { Controller, Delete, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { SignInState } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { Authenticator } from '../api-keys/authenticator.js';
import { findForgery } from './request-forgery.js';
import { clearSessionCookie, readCookie, SESSION_COOKIE, setSessionCookie } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';

/**
 * The session of the dashboard: the key of a session in a cookie that no script can read. All tabs of a browser share it. It is
 * no part of the public API, whose clients keep their key themselves.
 */
@Controller('dashboard')
export class SignInController {
  private readonly origin: string;

  constructor(
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    this.origin = dashboardOriginOf(config);
  }

  /** The page asks whether its browser has a session: authentication accepts that there is none. */
  @Get('sign-in')
  @Header('cache-control', 'no-store')
  @Header('vary', 'cookie')
  state(@Req() { principal }: FastifyRequest): SignInState {
    const id = principal?.sessionId ?? null;
    return { session: id === null ? null : { id } };
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
    await this.endFormer(request);
    reply.header('set-cookie', setSessionCookie(secret, endsAt, now));
    return { session: { id } };
  }

  @Delete('session')
  @HttpCode(204)
  @Header('cache-control', 'no-store')
  async end(
    @CurrentPrincipal() { organizationId, sessionId }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    if (sessionId === null) throw new RequestError('forbidden', 'Only a session can end itself.');
    await this.sessions.end(organizationId, sessionId);
    reply.header('set-cookie', clearSessionCookie);
  }

  private async endFormer({ headers }: FastifyRequest): Promise<void> {
    const key = readCookie(headers.cookie, SESSION_COOKIE);
    const former = key === null ? null : await this.authenticator.findPrincipal(key);
    if (former === null || former.sessionId === null) return;
    await this.sessions.end(former.organizationId, former.sessionId);
  }
}
