import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import {
  listApiKeysQuerySchema,
  newApiKeySchema,
  revokeApiKeyQuerySchema,
  type ApiKey,
  type CreatedApiKey,
  type ListApiKeysQuery,
  type NewApiKey,
  type RevokeApiKeyQuery,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { ApiKeyGrants, ApiKeyRevocations } from './api-key-grants.service.js';
import { ApiKeysRepository, type ApiKeyRow } from './api-keys.repository.js';

const PATH = '/v1/api-keys';

/** `/v1/api-keys`: the keys of the caller's organization. */
@Controller(PATH)
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly revocations: ApiKeyRevocations,
    private readonly grants: ApiKeyGrants,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listApiKeysQuerySchema }) { limit, cursor, ...filters }: ListApiKeysQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey[]> {
    const request = { path: PATH, organizationId, limit, cursor, filters };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.keys.list(organizationId, filters, bounds, this.clock()),
    );
    return page.map(present);
  }

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newApiKeySchema }) body: NewApiKey,
  ): Promise<CreatedApiKey | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const { secret, row } = await this.grants.grant(db, call.principal, body, this.clock());
      return { body: { ...present(row), secret } };
    });
  }

  @Delete(':apiKeyId')
  @HttpCode(204)
  async revoke(
    @CurrentPrincipal() caller: Principal,
    @Param('apiKeyId', { schema: idSchema }) apiKeyId: string,
    @Query({ schema: revokeApiKeyQuerySchema }) { reason }: RevokeApiKeyQuery,
  ): Promise<void> {
    await this.revocations.revoke(caller, apiKeyId, reason, this.clock());
  }
}

function present(row: ApiKeyRow): ApiKey {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
