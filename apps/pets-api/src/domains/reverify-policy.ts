import { Inject, Injectable } from '@nestjs/common';
import { evaluateReverify } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { CertificateAttemptsRepository } from '../certificates/certificate-attempts.repository.js';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { WorkRepository } from '../schedule/work.repository.js';
import type { DomainRow } from '../names/domain-row.js';

/** Decides when an owner may request another attempt at a certificate. */
@Injectable()
export class ReverifyPolicy {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'REVERIFY_AFTER'>,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
  ) {}

  /** @throws RequestError `reverify_too_early`, with `Retry-After` where the time is known */
  async requireAllowed(tx: Tx, domain: DomainRow, now: Date): Promise<void> {
    const issuance = await this.work.find(tx, domain.id, 'issuance');
    const facts = {
      state: domain.state,
      hasCertificate: (await this.certificates.findNewest([domain.id], tx)).has(domain.id),
      isAttemptInFlight: issuance?.leaseUntil != null && issuance.leaseUntil > now,
      hasLastAttemptFailed: await this.attempts.hasLastFailed(tx, domain.id, domain.generation),
      generationBeganAt: domain.generationBeganAt,
    };
    const verdict = evaluateReverify(facts, this.config.REVERIFY_AFTER, now);
    if (verdict.allowed) return;
    const headers: Record<string, string> =
      verdict.retryAfterSeconds === null ? {} : { 'retry-after': String(verdict.retryAfterSeconds) };
    throw new RequestError('reverify_too_early', verdict.reason, headers);
  }
}
