import { Injectable } from '@nestjs/common';
import type { DomainJobs, RevocationReason } from '@pets/contracts';
import { AccountAnnouncer, CaAccounts } from '../certificate-authority/ca-accounts.js';
import { isProblem, problemType, toCaProblem } from '../certificate-authority/ca-problem.js';
import { EventSender } from '../events/event-sender.js';

type Job = DomainJobs['revoke-certificate'];

/** RFC 5280 §5.3.1. */
const codes = {
  unspecified: 0,
  key_compromise: 1,
  superseded: 4,
  cessation_of_operation: 5,
} as const satisfies Record<RevocationReason, number>;

/** Revokes a certificate at its CA and reports the answer, which the API interprets. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly accounts: CaAccounts,
    private readonly announcer: AccountAnnouncer,
    private readonly events: EventSender,
  ) {}

  async revoke(job: Job, signal: AbortSignal): Promise<void> {
    const { certificateId, domainId, attempt, directoryUrl } = job;
    const event = { certificateId, domainId, attempt, directoryUrl };
    try {
      await this.revokeWithRetry(job, signal);
    } catch (error) {
      const problem = toCaProblem(error, signal);
      return this.events.send('certificate.revocation_failed', { ...event, problem }, signal);
    }
    await this.events.send('certificate.revoked', event, signal);
  }

  /** Opens the account again and retries once, if the CA does not know it any more. */
  private async revokeWithRetry(job: Job, signal: AbortSignal): Promise<void> {
    try {
      return await this.revokeOnce(job, signal);
    } catch (error) {
      if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
    }
    this.accounts.forget(job);
    await this.announcer.announce(await this.accounts.ensure(job, signal), signal);
    await this.revokeOnce(job, signal);
  }

  /** Signed by the account that ordered the certificate: a CA refuses any other. */
  private async revokeOnce(job: Job, signal: AbortSignal): Promise<void> {
    const { client } = await this.accounts.ensure(job, signal);
    await client.revoke(job.certificate, codes[job.reason], signal);
  }
}
