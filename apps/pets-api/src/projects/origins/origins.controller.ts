import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { newOriginSchema, type NewOrigin, type Origin } from '@pets/contracts';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { domainKeySchema, idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { OriginsService } from './origins.service.js';

/** Absent in the path of the origin of a project. */
const optionalDomainSchema = domainKeySchema.optional();

type Id = z.infer<typeof idSchema>;
type Domain = z.infer<typeof optionalDomainSchema>;

/** The origin of a project, and of a domain: `{domain}` is its id or its name. */
@Controller(['v1/projects/:projectId/origin', 'v1/projects/:projectId/domains/:domain/origin'])
export class OriginsController {
  constructor(
    private readonly origins: OriginsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  read(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: optionalDomainSchema }) domain: Domain,
  ): Promise<Origin> {
    return this.origins.read(organizationId, { projectId, domain });
  }

  @Put()
  put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: optionalDomainSchema }) domain: Domain,
    @Body({ schema: newOriginSchema }) origin: NewOrigin,
  ): Promise<Origin> {
    return this.origins.put(organizationId, { projectId, domain }, origin);
  }

  @Delete()
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: optionalDomainSchema }) domain: Domain,
  ): Promise<void> {
    await this.origins.delete(organizationId, { projectId, domain });
  }

  @Post('test')
  @HttpCode(202)
  async test(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: optionalDomainSchema }) domain: Domain,
  ): Promise<Origin | JsonText> {
    const { organizationId } = call.principal;
    return this.idempotency.run(call, async (db) => ({
      body: await this.origins.test(db, organizationId, { projectId, domain }),
    }));
  }
}
