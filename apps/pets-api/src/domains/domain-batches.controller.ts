import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import {
  domainBatchRemovalSchema,
  newDomainBatchSchema,
  type AddedDomains,
  type DomainBatchRemoval,
  type NewDomainBatch,
  type RemovedDomains,
} from '@pets/contracts';
import type { z } from 'zod';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { idSchema } from '../http/input-validation.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { DomainBatchesService } from './domain-batches.service.js';

type Id = z.infer<typeof idSchema>;

/** A batch counts as one request for each of so many names. */
const NAMES_A_REQUEST = 10;

/** Many domains with one request. The router wants the colon of `domains:batch` twice. */
@Controller('v1/projects/:projectId')
export class DomainBatchesController {
  constructor(
    private readonly batches: DomainBatchesService,
    private readonly idempotency: Idempotency,
    private readonly rateLimiter: RateLimiter,
  ) {}

  @Post('domains::batch')
  @HttpCode(200)
  addDomains(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: newDomainBatchSchema }) { domains }: NewDomainBatch,
  ): Promise<AddedDomains | JsonText> {
    return this.run(call, domains.length, (onPiece) =>
      this.batches.addDomains(call.principal, projectId, domains, onPiece),
    );
  }

  @Post('domains::batchRemove')
  @HttpCode(200)
  remove(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: domainBatchRemovalSchema }) { domains }: DomainBatchRemoval,
  ): Promise<RemovedDomains | JsonText> {
    const names = domains.map(({ name }) => name);
    return this.run(call, names.length, (onPiece) => this.batches.remove(call.principal, projectId, names, onPiece));
  }

  private run<Result>(
    call: IdempotentCall,
    names: number,
    work: (onPiece: (names: number) => void) => Promise<Result[]>,
  ): Promise<{ results: Result[] } | JsonText> {
    const { organizationId, limits } = call.principal;
    return this.idempotency.runRepeatable(call, async () => {
      // The request itself is counted already.
      const others = costOf(names) - 1;
      const reservation = await this.rateLimiter.reserve(organizationId, limits.requestsPerMinute, others);
      let left = names;
      try {
        return { results: await work((done) => (left -= done)) };
      } finally {
        if (left > 0) await reservation.giveBack(costOf(left));
      }
    });
  }
}

/** The requests as which a number of names counts. */
function costOf(names: number): number {
  return Math.ceil(names / NAMES_A_REQUEST);
}
