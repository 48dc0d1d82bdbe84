import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { DeprecatedCallsCounter } from './deprecated-calls.counter.js';
import { getPetDeprecation } from './get-pet-deprecation.js';

/**
 * Counts who calls getPet, and ends it at its sunset. A guard, since it must see every call: an operation that is gone
 * has no opinion on parameters, and a call that it refuses is one of a client that is still to be told.
 */
@Injectable()
export class GetPetDeprecationGuard implements CanActivate {
  constructor(
    private readonly deprecatedCalls: DeprecatedCallsCounter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RequestError `gone` */
  canActivate(context: ExecutionContext): boolean {
    const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
    if (principal !== null) this.deprecatedCalls.count(getPetDeprecation.operation, principal.apiKeyId);
    if (this.clock() >= getPetDeprecation.sunsetAt)
      throw new RequestError('gone', 'getPet was removed. List animals by status: GET /v1/pets?status=.');
    return true;
  }
}
