import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  certificateKeyBinding,
  type AuditEventType,
  type CertificateChoice,
  type CertificateSource,
  type NewOwnCertificate,
} from '@pets/contracts';
import { chooseCertificate, displayNameOf } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError, seal } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { requireChangeable } from '../../access/suspensions/suspensions.repository.js';
import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../../projects/projects.repository.js';
import { CertificateObjects } from '../../certificates/certificate-objects.service.js';
import { CertificatesRepository } from '../../certificates/certificates.repository.js';
import { DomainPresenter } from '../../lifecycle/domain-presenter.js';
import type { DomainRow } from '../../names/domain-row.js';
import { DomainsRepository } from '../../names/domains.repository.js';
import { LifecycleService } from '../../lifecycle/lifecycle.service.js';
import { errorOf, isRefusal } from '../../certificates/own/read-pem.js';
import {
  checkCertificate,
  createTrustedRoots,
  type AcceptedCertificate,
} from '../../certificates/own/check-certificate.js';
import { OwnCertificateChanges, type FinishedCheck } from './own-certificate-changes.js';
import { OwnCertificatesRepository, type ShownUpload } from '../../certificates/own/own-certificates.repository.js';

const HOUR_MS = 3_600_000;

/** Uploads of a domain in an hour. Each writes an object, and makes the worker read a list. */
const MAX_UPLOADS = 20;
/** The same of an organization, for all its domains. */
const MAX_ORGANIZATION_UPLOADS = 500;

/** A list that was read for the same certificate since then is not read again: as for an active one, once a day. */
const CHECK_KEPT_MS = 18 * HOUR_MS;

/** Domain that a request concerns, and who sent it. */
interface Target {
  readonly principal: Principal;
  readonly projectId: string;
  readonly domain: string;
}

/** The certificates of a domain for its owner: upload, choice, and return to the automatic one. */
@Injectable()
export class OwnCertificates {
  private readonly roots = createTrustedRoots();

  constructor(
    private readonly transactions: ProjectTransactions,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly certificates: CertificatesRepository,
    private readonly own: OwnCertificatesRepository,
    private readonly changes: OwnCertificateChanges,
    private readonly objects: CertificateObjects,
    private readonly lifecycle: LifecycleService,
    private readonly presenter: DomainPresenter,
    private readonly audit: AuditLog,
  ) {}

  async get({ principal, projectId, domain }: Target): Promise<CertificateChoice> {
    await this.projects.get(principal.organizationId, projectId);
    return this.presenter.presentCertificates(await this.domains.get(projectId, domain));
  }

  /**
   * Stores a certificate, and activates it unless its revocation list has to be read first.
   * @throws RequestError with the first fault of the certificate or its key
   */
  async upload(target: Target, upload: NewOwnCertificate): Promise<CertificateChoice> {
    const { organizationId } = target.principal;
    await this.projects.get(organizationId, target.projectId);
    const { id: domainId, name, state, suspensions } = await this.domains.get(target.projectId, target.domain);
    if (state === 'removed') throw removed();
    requireChangeable(suspensions);
    const checked = checkCertificate(upload, { name, now: this.clock(), roots: this.roots });
    if (isRefusal(checked)) throw errorOf(checked);
    const id = randomUUID();
    const stored = await this.changed(target, domainId, (tx, project, domain, now) =>
      this.store(tx, { project, domain, upload, checked, id }, target.principal.apiKeyId, now),
    );
    if (stored !== null) {
      await this.objects.writeUploaded(id);
      if (stored.known !== null) await this.changes.applyCheck(id, { ...stored.known, attempt: null });
    }
    return this.get({ ...target, domain: domainId });
  }

  async prefer(target: Target, prefer: CertificateSource): Promise<CertificateChoice> {
    await this.projects.get(target.principal.organizationId, target.projectId);
    const { id: domainId } = await this.domains.get(target.projectId, target.domain);
    await this.changed(target, domainId, async (tx, project, domain, now) => {
      const shown = await this.own.listShown(domainId, tx);
      if (shown.length === 0) throw noOwnCertificate();
      await this.choose(tx, { project, domain, prefer }, target.principal.apiKeyId, now);
    });
    return this.get({ ...target, domain: domainId });
  }

  /** @throws RequestError `automatic_certificate_missing` if visitors would get an error, unless `force` */
  async remove(target: Target, force: boolean): Promise<void> {
    await this.projects.get(target.principal.organizationId, target.projectId);
    const { id: domainId } = await this.domains.get(target.projectId, target.domain);
    await this.changed(target, domainId, async (tx, project, domain, now) => {
      const shown = await this.own.listShown(domainId, tx);
      if (shown.length === 0) throw noOwnCertificate();
      const active = shown.find(({ state }) => state === 'active');
      if (active !== undefined && !force) await this.requireFallback(tx, domain, now);
      await this.own.end(tx, domainId, ['checking', 'expired', 'revoked'], 'removed', now);
      if (active !== undefined)
        await this.changes.end(tx, { project, domain, own: active, now }, 'removed', target.principal.apiKeyId);
      for (const { id } of shown) await this.record(tx, domain, 'certificate.removed', id, {});
    });
  }

  /** @returns null if it is the certificate that is there, else what is known about its revocation without reading a list */
  private async store(
    tx: Tx,
    upload: {
      readonly project: ProjectRow;
      readonly domain: DomainRow;
      readonly upload: NewOwnCertificate;
      readonly checked: AcceptedCertificate;
      readonly id: string;
    },
    apiKeyId: string,
    now: Date,
  ): Promise<{ readonly known: Pick<FinishedCheck, 'result' | 'detail'> | null } | null> {
    const { project, domain, checked, id } = upload;
    const { trust, prefer } = upload.upload;
    const [newest] = await this.own.listShown(domain.id, tx);
    if (isSame(newest, checked, trust)) {
      await this.choose(tx, { project, domain, prefer }, apiKeyId, now);
      return null;
    }
    await this.requireBelowLimit(tx, domain, now);
    const { keyPem, ...certificate } = checked;
    const { organizationId } = domain;
    const sealedKey = seal(this.config.CERTIFICATE_KEKS, keyPem, certificateKeyBinding(id, organizationId));
    const bound = { id, domainId: domain.id, organizationId, sealedKey };
    const before = await this.own.findCheck(
      tx,
      { ...certificate, organizationId },
      new Date(now.getTime() - CHECK_KEPT_MS),
    );
    const own = { ...certificate, ...bound, trust, isPreferred: prefer === 'own' };
    await this.own.insert(tx, own, now, before?.failures);
    const { issuer, leafSha256, notAfter } = checked;
    const detail = { issuer, fingerprint: leafSha256, notAfter: notAfter.toISOString(), trust, prefer };
    await this.record(tx, domain, 'certificate.uploaded', id, detail);
    return { known: checked.crlUrls.length === 0 ? { result: null, detail: null } : before };
  }

  private async choose(
    tx: Tx,
    { project, domain, prefer }: { project: ProjectRow; domain: DomainRow; prefer: CertificateSource },
    apiKeyId: string,
    now: Date,
  ): Promise<void> {
    const shown = await this.own.listShown(domain.id, tx);
    const [newest] = shown;
    if (newest === undefined || shown.every(({ isPreferred }) => isPreferred === (prefer === 'own'))) return;
    await this.own.setPreferred(tx, domain.id, prefer === 'own');
    await this.record(tx, domain, 'certificate.changed', newest.id, { prefer });
    const detail =
      prefer === 'own' ? 'the uploaded certificate is preferred' : 'the automatic certificate is preferred';
    const trigger = { type: 'own_certificate.preferred', detail } as const;
    await this.lifecycle.applyOwnerRequest(tx, project, domain, { trigger, apiKeyId, now });
  }

  private async requireFallback(tx: Tx, domain: DomainRow, now: Date): Promise<void> {
    const isServed = domain.state !== 'awaiting_dns' || domain.readyAt !== null;
    const { automatic, own: active } = (await this.certificates.findCurrent([domain.id], tx))(domain.id);
    if (!isServed || (automatic !== null && automatic.notAfter > now)) return;
    if (active === null || chooseCertificate(active, automatic, now) === 'automatic' || active.notAfter <= now) return;
    throw new RequestError(
      'automatic_certificate_missing',
      `There is no valid automatic certificate for ${displayNameOf(domain.name)} yet: visitors would get an error. Wait ` +
        'until it is issued, or send force=true.',
    );
  }

  private async requireBelowLimit(tx: Tx, domain: DomainRow, now: Date): Promise<void> {
    await this.own.lockUploads(tx, domain.organizationId);
    const limits = [
      { of: { domainId: domain.id }, most: MAX_UPLOADS, who: 'A domain' },
      { of: { organizationId: domain.organizationId }, most: MAX_ORGANIZATION_UPLOADS, who: 'An organization' },
    ];
    for (const { of, most, who } of limits) {
      const { count, firstAt } = await this.own.countUploads(tx, of, new Date(now.getTime() - HOUR_MS));
      if (count < most || firstAt === null) continue;
      const waitSeconds = Math.max(1, Math.ceil((firstAt.getTime() + HOUR_MS - now.getTime()) / 1_000));
      const message = `${who} can have at most ${most} uploaded certificates an hour.`;
      throw new RequestError('rate_limited', message, { 'retry-after': String(waitSeconds) });
    }
  }

  /** Runs a change under the lock of the project. @throws RequestError when the domain was removed, moved or suspended */
  private changed<Result>(
    { projectId }: Target,
    domainId: string,
    change: (tx: Tx, project: ProjectRow, domain: DomainRow, now: Date) => Promise<Result>,
  ): Promise<Result> {
    return this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, projectId, domainId);
      if (domain.state === 'removed') throw removed();
      requireChangeable(domain.suspensions);
      return change(tx, project, domain, this.clock());
    });
  }

  private async record(
    tx: Tx,
    { organizationId, projectId, name }: DomainRow,
    type: AuditEventType,
    id: string,
    more: Readonly<Record<string, string>>,
  ): Promise<void> {
    const subject = { kind: 'certificate', id } as const;
    await this.audit.record(tx, { organizationId, type, subject, detail: { name, projectId, ...more } });
  }
}

/** The same certificate again: its key is the same as well. */
function isSame(
  newest: ShownUpload | undefined,
  { leafSha256, chainPem }: AcceptedCertificate,
  trust: ShownUpload['trust'],
): boolean {
  if (newest === undefined || (newest.state !== 'active' && newest.state !== 'checking')) return false;
  return newest.leafSha256 === leafSha256 && newest.chainPem === chainPem && newest.trust === trust;
}

function removed(): RequestError {
  return new RequestError('not_found', 'The domain was removed.');
}

function noOwnCertificate(): RequestError {
  return new RequestError('not_found', 'The domain has no uploaded certificate.');
}
