import { Controller, Get, Header, Inject, Param, Query, Res } from '@nestjs/common';
import { certificateKeyBinding, PLATFORM_CERTIFICATE, type EdgeRoute, type SealedCertificate } from '@pets/contracts';
import { RequestError, unseal } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { idSchema } from '../http/input-validation.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { EdgeFeedRepository } from './edge-feed.repository.js';
import { PlatformCertificateFeedRepository, SealedCertificates } from './sealed-certificates.service.js';

/** Certificates for edges that do not find them in the storage. */
@Controller('internal/edge')
export class EdgeCertificatesController {
  constructor(private readonly certificates: SealedCertificates) {}

  @Get('certificates/:certificateId')
  async certificate(
    @Param('certificateId', { schema: idSchema }) id: z.infer<typeof idSchema>,
  ): Promise<SealedCertificate> {
    const certificate = await this.certificates.find(id);
    if (certificate === null) throw new RequestError('not_found', 'There is no such certificate.');
    return certificate;
  }
}

/** A host name as clients send it in a handshake. Caddy adds parameters about ciphers, which are ignored. */
const hostSchema = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9_.-]+$/)
  .transform((name) => name.toLowerCase().replace(/\.$/, ''));

const permissionQuerySchema = z.object({ domain: hostSchema });
const certificateQuerySchema = z.object({ server_name: hostSchema });

/**
 * Lets another gateway terminate TLS instead of our edges: the two requests that Caddy makes before and during a handshake
 * (`deploy/caddy`). Both are answered from the published routes, so a removed name is refused from the next handshake on.
 * They require `GATEWAY_TOKEN`, a secret of its own, since its holder receives private keys.
 */
@Controller('internal/gateway')
export class GatewayController {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    private readonly feed: EdgeFeedRepository,
    private readonly certificates: SealedCertificates,
    private readonly platform: PlatformCertificateFeedRepository,
  ) {}

  /** Whether a name may be served: any status but 200 means no (`on_demand_tls { ask … }`). */
  @Get('ask')
  @Header('cache-control', 'no-store')
  async permission(
    @Query({ schema: permissionQuerySchema }) { domain }: z.infer<typeof permissionQuerySchema>,
  ): Promise<{ domain: string }> {
    await this.routeOf(domain);
    return { domain };
  }

  /** Chain and key of a name, PEM, for `get_certificate http`. */
  @Get('certificate')
  @Header('cache-control', 'no-store')
  async certificate(
    @Query({ schema: certificateQuerySchema }) { server_name: name }: z.infer<typeof certificateQuerySchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { certificateId } = await this.routeOf(name);
    const presented = certificateId === PLATFORM_CERTIFICATE ? await this.platform.current() : certificateId;
    const sealed = presented === null ? null : await this.certificates.find(presented);
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
