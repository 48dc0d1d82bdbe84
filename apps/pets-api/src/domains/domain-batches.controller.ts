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
import { idSchema } from '../http/path.schema.js';
import type { Principal } from '../http/principal.js';
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
  add(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: newDomainBatchSchema }) { domains }: NewDomainBatch,
  ): Promise<AddedDomains | JsonText> {
    return this.idempotency.runRepeatable(call, async () => {
      await this.charge(call.principal, domains.length);
      return { results: await this.batches.add(call.principal, projectId, namesOf(domains)) };
    });
  }

  @Post('domains::batchRemove')
  @HttpCode(200)
  remove(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: domainBatchRemovalSchema }) { domains }: DomainBatchRemoval,
  ): Promise<RemovedDomains | JsonText> {
    return this.idempotency.runRepeatable(call, async () => {
      await this.charge(call.principal, domains.length);
      return { results: await this.batches.remove(call.principal, projectId, namesOf(domains)) };
    });
  }

  /** The request itself is counted already. */
  private charge({ organizationId, limits }: Principal, names: number): Promise<void> {
    return this.rateLimiter.charge(organizationId, limits.requestsPerMinute, Math.ceil(names / NAMES_A_REQUEST) - 1);
  }
}

function namesOf(domains: readonly { readonly name: string }[]): string[] {
  return domains.map(({ name }) => name);
}
