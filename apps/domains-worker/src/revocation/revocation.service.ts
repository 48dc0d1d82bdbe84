import { Injectable } from '@nestjs/common';
import type { DomainJobs, RevocationReason } from '@pets/contracts';
import { AccountAnnouncer } from '../certificate-authority/account-announcer.js';
import { CaAccounts } from '../certificate-authority/ca-accounts.js';
import { isProblem, problemType, toCaProblem } from '../certificate-authority/ca-problem.js';
import { FactEmitter } from '../facts/fact-emitter.js';

type Job = DomainJobs['revoke-certificate'];

/** RFC 5280 §5.3.1. */
const codes = {
  unspecified: 0,
  key_compromise: 1,
  superseded: 4,
  cessation_of_operation: 5,
} as const satisfies Record<RevocationReason, number>;

/** Has a CA revoke one of its certificates, and tells what it said. What that means, the API decides. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly accounts: CaAccounts,
    private readonly announcer: AccountAnnouncer,
    private readonly facts: FactEmitter,
  ) {}

  async revoke(job: Job, signal: AbortSignal): Promise<void> {
    const { certificateId, domainId, attempt, directoryUrl } = job;
    const fact = { certificateId, domainId, attempt, directoryUrl };
    try {
      await this.#ask(job, signal);
    } catch (error) {
      const problem = toCaProblem(error, signal);
      return this.facts.emit('certificate.revocation_failed', { ...fact, problem }, signal);
    }
    await this.facts.emit('certificate.revoked', fact, signal);
  }

  /** A CA that does not know the account any more is asked once more with one that was found or made again. */
  async #ask(job: Job, signal: AbortSignal): Promise<void> {
    try {
      return await this.#askOnce(job, signal);
    } catch (error) {
      if (!isProblem(error, problemType.accountDoesNotExist)) throw error;
    }
    this.accounts.forget(job.directoryUrl);
    await this.announcer.announce(await this.accounts.ensure(job.directoryUrl, signal), signal);
    await this.#askOnce(job, signal);
  }

  async #askOnce({ directoryUrl, certificate, reason }: Job, signal: AbortSignal): Promise<void> {
    const { client } = await this.accounts.ensure(directoryUrl, signal);
    await client.revoke(certificate, codes[reason], signal);
  }
}
