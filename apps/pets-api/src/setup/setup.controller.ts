import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res, StreamableFile } from '@nestjs/common';
import {
  newSetupSessionSchema,
  type Domain,
  type NewSetupSession,
  type Setup,
  type SetupDomain,
  type SetupSession,
} from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CheckDomainService } from '../domains/check-domain.service.js';
import { DomainsService } from '../domains/domains.service.js';
import { ProjectStreams } from '../events/streams/event-streams.service.js';
import { EVENT_STREAM_TYPE } from '../http/negotiation.js';
import { CurrentSetup, type SetupAccess } from '../http/principal.js';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { presentLogo, SetupPagesRepository } from './setup-pages.repository.js';
import { SetupSessions } from './setup-sessions.js';

/** The page of a set-up link: it reads its domain and the other name of its pair, and lets both be checked. */
@Controller('v1/setup')
export class SetupController {
  constructor(
    private readonly sessions: SetupSessions,
    private readonly domains: DomainsService,
    private readonly checks: CheckDomainService,
    private readonly pages: SetupPagesRepository,
    private readonly streams: ProjectStreams,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'DASHBOARD_ORIGIN' | 'PUBLIC_URL'>,
  ) {}

  @Post('sessions')
  async open(
    @Body({ schema: newSetupSessionSchema }) { token }: NewSetupSession,
    @Req() { clientAddress }: FastifyRequest,
  ): Promise<SetupSession> {
    const opened = await this.sessions.open(token, clientAddress);
    return { token: opened.token, expiresAt: opened.expiresAt.toISOString() };
  }

  @Get()
  async read(@CurrentSetup() access: SetupAccess): Promise<Setup> {
    return this.present(access, await this.readPair(access));
  }

  @Post('watch')
  @HttpCode(200)
  async watch(@CurrentSetup() access: SetupAccess): Promise<Setup> {
    const watch = (id: string) => this.checks.watch(this.db, access, access.projectId, id);
    return this.present(access, await this.readPair(access, watch));
  }

  @Get('events')
  async events(
    @CurrentSetup() access: SetupAccess,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { linkId: setupLinkId, organizationId, projectId, limits } = access;
    const domainIds = new Set((await this.readPair(access)).map(({ id }) => id));
    const rights = { apiKeyId: null, sessionId: null, setupLinkId, organizationId, projectId, domainIds } as const;
    // Half of those of the organization: pages of links do not keep its members out.
    const limit = Math.ceil(limits.eventStreams / 2);
    const { readable } = await this.streams.open({ ...rights, scope: 'domains:read' }, limit, null);
    // Or nginx and similar proxies buffer the events.
    reply.header('x-accel-buffering', 'no');
    return new StreamableFile(readable, { type: EVENT_STREAM_TYPE });
  }

  /** The domain of the link, and the other name of its pair. */
  private async readPair(
    { projectId, domainId }: SetupAccess,
    read = (id: string): Promise<Domain> => this.domains.readDomain(projectId, id),
  ): Promise<readonly Domain[]> {
    const domain = await read(domainId);
    return domain.pairedWith === null ? [domain] : [domain, await read(domain.pairedWith)];
  }

  private async present(
    { organizationId, returnUrl, expiresAt }: SetupAccess,
    domains: readonly Domain[],
  ): Promise<Setup> {
    const { returnOrigins, logo, ...look } = await this.pages.read(organizationId);
    const isListed = returnUrl !== null && returnOrigins.includes(new URL(returnUrl).origin);
    return {
      domains: domains.map(presentSetupDomain),
      ...look,
      logo: logo && presentLogo(logo, this.config),
      returnUrl: isListed ? returnUrl : null,
      platform: this.config.PLATFORM_DOMAIN,
      expiresAt: expiresAt.toISOString(),
    };
  }
}

/** A domain as its owner sees it by a set-up link: chosen field by field, so that a new field of a domain is not shown. */
function presentSetupDomain(domain: Domain): SetupDomain {
  const { certificate, ownCertificate: own } = domain;
  const served =
    own?.isServed === true ? { state: 'issued' as const, issuer: own.issuer, notAfter: own.notAfter } : null;
  return {
    name: domain.name,
    unicodeName: domain.unicodeName,
    apexName: domain.apexName,
    state: domain.state,
    misconfigured: domain.misconfigured,
    createdAt: domain.createdAt,
    verifiedAt: domain.verifiedAt,
    liveAt: domain.liveAt,
    records: domain.records,
    dns: domain.dns,
    ownership: domain.ownership,
    readiness: domain.readiness,
    certificate:
      served ??
      (certificate && { state: certificate.state, issuer: certificate.issuer, notAfter: certificate.notAfter }),
    isSuspended: domain.suspensions.length > 0,
    // They are between the operator and the organization.
    issues: domain.issues.filter(({ area }) => area !== 'plan' && area !== 'suspension'),
  };
}
