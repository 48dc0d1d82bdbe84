import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Put, Query } from '@nestjs/common';
import {
  certificatePreferenceSchema,
  certificateRemovalQuerySchema,
  newOwnCertificateSchema,
  type CertificateChoice,
  type CertificatePreference,
  type CertificateRemovalQuery,
  type DomainEvents,
  type NewOwnCertificate,
} from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import { z } from 'zod';
import { domainKeySchema, idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { OwnCertificateChanges } from './own-certificate-changes.js';
import { OwnCertificates } from './own-certificates.service.js';

type Id = z.infer<typeof idSchema>;
type Key = z.infer<typeof domainKeySchema>;

/** The certificate of a domain: the uploaded one, the automatic one, and the choice between them. */
@Controller('v1/projects/:projectId/domains/:domain/certificate')
export class OwnCertificatesController {
  constructor(private readonly certificates: OwnCertificates) {}

  @Get()
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<CertificateChoice> {
    return this.certificates.get({ principal, projectId, domain });
  }

  @Put()
  upload(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Body({ schema: newOwnCertificateSchema }) body: NewOwnCertificate,
  ): Promise<CertificateChoice> {
    return this.certificates.upload({ principal, projectId, domain }, body);
  }

  @Patch()
  prefer(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Body({ schema: certificatePreferenceSchema }) { prefer }: CertificatePreference,
  ): Promise<CertificateChoice> {
    return this.certificates.prefer({ principal, projectId, domain }, prefer);
  }

  @Delete()
  @HttpCode(204)
  async remove(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Query({ schema: certificateRemovalQuerySchema }) { force = false }: CertificateRemovalQuery,
  ): Promise<void> {
    await this.certificates.remove({ principal, projectId, domain }, force);
  }
}

/** Receives the worker's results of reading revocation lists for uploaded certificates. */
@Controller()
export class RevocationChecksController {
  constructor(
    private readonly changes: OwnCertificateChanges,
    private readonly metrics: ApiMetrics,
  ) {}

  @OnEvent('revocation_list.checked')
  async onChecked({ certificateId, attempt, result, detail }: DomainEvents['revocation_list.checked']): Promise<void> {
    await this.changes.applyCheck(certificateId, { result, detail, attempt });
    this.metrics.revocationListChecked(result);
  }
}
