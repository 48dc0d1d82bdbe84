import { Controller, Delete, HttpCode, Inject, Post } from '@nestjs/common';
import type { CreatedSession } from '@pets/contracts';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { SessionsService } from './sessions.service.js';

/**
 * A session key replaces an API key where that one should not be stored, as in a browser. It is a bearer key, not a
 * cookie, so no other site can make a browser send it.
 */
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  create(@CurrentCall() call: IdempotentCall): Promise<CreatedSession | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const { secret, endsAt } = await this.sessions.open(db, call.principal, this.clock());
      return { body: { secret, expiresAt: endsAt.toISOString() } };
    });
  }

  @Delete('current')
  @HttpCode(204)
  async end(@CurrentPrincipal() { organizationId, sessionId }: Principal): Promise<void> {
    if (sessionId === null) throw new Error('an API key has reached an operation for sessions');
    await this.sessions.end(organizationId, sessionId);
  }
}
