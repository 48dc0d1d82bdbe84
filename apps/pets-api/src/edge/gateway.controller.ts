import { Controller, Get, Header, Inject, Query, Res } from '@nestjs/common';
import { certificateKeyBinding, PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { RequestError, unseal } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';

/** As clients spell names in a handshake; Caddy adds parameters about ciphers, which do not matter here. */
const hostSchema = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9_.-]+$/)
  .transform((name) => name.toLowerCase().replace(/\.$/, ''));

const permissionQuerySchema = z.object({ domain: hostSchema });
const certificateQuerySchema = z.object({ server_name: hostSchema });

/**
 * What a gateway that is not ours asks before and during a handshake: the two questions of Caddy, which others can ask as
 * well (`deploy/caddy`). Both are answered from what the edges were told, so a name that was removed is refused from the
 * next handshake on. Only with `GATEWAY_TOKEN`, which is one more secret than the edges': who has it gets private keys.
 */
@Controller('internal/gateway')
export class GatewayController {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    private readonly feed: EdgeFeedRepository,
  ) {}

  /** Whether a name may be served: any answer but 200 is a no (`on_demand_tls { ask … }`). */
  @Get('ask')
  @Header('cache-control', 'no-store')
  async permission(
    @Query({ schema: permissionQuerySchema }) { domain }: z.infer<typeof permissionQuerySchema>,
  ): Promise<{ domain: string }> {
    await this.routeOf(domain);
    return { domain };
  }

  /** Chain and key of a name, PEM, as `get_certificate http` takes them. */
  @Get('certificate')
  @Header('cache-control', 'no-store')
  async certificate(
    @Query({ schema: certificateQuerySchema }) { server_name: name }: z.infer<typeof certificateQuerySchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { certificateId } = await this.routeOf(name);
    const isOurs = certificateId !== null && certificateId !== PLATFORM_CERTIFICATE;
    const sealed = isOurs ? await this.feed.findCertificate(certificateId) : null;
    if (sealed === null) throw new RequestError('not_found', 'There is no certificate for this name.');
    const { id, organizationId, chainPem, sealedKey } = sealed;
    const key = unseal(this.config.CERTIFICATE_KEKS, sealedKey, certificateKeyBinding(id, organizationId));
    void reply.type('application/x-pem-file'); // errors stay JSON
    return `${chainPem.trimEnd()}\n${key.trimEnd()}\n`;
  }

  private async routeOf(host: string): Promise<EdgeRoute> {
    const route = await this.feed.routeOf(host);
    if (route === null) throw new RequestError('not_found', 'This name is not served.');
    return route;
  }
}
