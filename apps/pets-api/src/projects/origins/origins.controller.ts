import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { newOriginSchema, type NewOrigin, type Origin } from '@pets/contracts';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { OriginsService } from './origins.service.js';

@Controller('v1/projects/:projectId/origin')
export class OriginsController {
  constructor(
    private readonly origins: OriginsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  read(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<Origin> {
    return this.origins.read(organizationId, projectId);
  }

  @Put()
  put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Body({ schema: newOriginSchema }) origin: NewOrigin,
  ): Promise<Origin> {
    return this.origins.put(organizationId, projectId, origin);
  }

  @Delete()
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<void> {
    await this.origins.delete(organizationId, projectId);
  }

  @Post('test')
  @HttpCode(202)
  async test(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<Origin | JsonText> {
    const { organizationId } = call.principal;
    return this.idempotency.run(call, async (db) => ({ body: await this.origins.test(db, organizationId, projectId) }));
  }
}
