import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { domainMoveSchema, type Domain, type DomainMove } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { domainKeySchema, idSchema } from '../../http/input-validation.js';
import { MoveDomainService } from './move-domain.service.js';

@Controller('v1/projects/:projectId/domains/:domain/move')
export class DomainMovesController {
  constructor(
    private readonly moves: MoveDomainService,
    private readonly idempotency: Idempotency,
  ) {}

  @Post()
  @HttpCode(200)
  move(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('domain', { schema: domainKeySchema }) domain: z.infer<typeof domainKeySchema>,
    @Body({ schema: domainMoveSchema }) move: DomainMove,
  ): Promise<Domain | JsonText> {
    const effect = async (db: Database) => ({
      body: await this.moves.move(db, call.principal, { projectId, domain }, move),
    });
    return this.idempotency.run(call, effect, [move.projectId]);
  }
}
