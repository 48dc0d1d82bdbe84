import { Injectable } from '@nestjs/common';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { renewalInfoSchema } from '../certificate-authority/acme-resources.js';
import { CaAccounts } from '../certificate-authority/ca-accounts.js';
import { CaError, plainProblem, toCaProblem } from '../certificate-authority/ca-problem.js';
import { EventSender } from '../events/event-sender.js';

type RenewalInfo = Pick<DomainEvents['renewal_info.fetched'], 'window' | 'explanationUrl' | 'retryAt' | 'problem'>;

/** RFC 9773 §4.3.2: a client limits the retry times that the CA requests. */
const MIN_RETRY_MS = 60_000;
const MAX_RETRY_MS = 86_400_000;
const MAX_URL = 2_000;
const noInfo: RenewalInfo = { window: null, explanationUrl: null, retryAt: null, problem: null };

/** Fetches the renewal window of a certificate from its CA (RFC 9773 §4). This needs no account. */
@Injectable()
export class RenewalInfoService {
  constructor(
    private readonly accounts: CaAccounts,
    private readonly events: EventSender,
  ) {}

  async fetch(job: DomainJobs['fetch-renewal-info'], signal: AbortSignal): Promise<void> {
    const { domainId, generation, attempt, directoryUrl, certificateIdentifier } = job;
    const event = { domainId, generation, attempt, directoryUrl, certificateIdentifier };
    await this.events.send('renewal_info.fetched', { ...event, ...(await this.fetchRenewalInfo(job, signal)) }, signal);
  }

  private async fetchRenewalInfo(
    { directoryUrl, certificateIdentifier }: DomainJobs['fetch-renewal-info'],
    signal: AbortSignal,
  ): Promise<RenewalInfo> {
    const server = this.accounts.serverAt(directoryUrl);
    try {
      const { renewalInfo } = await server.directory(signal);
      if (renewalInfo === undefined) return noInfo;
      const url = `${renewalInfo.replace(/\/$/, '')}/${encodeURIComponent(certificateIdentifier)}`;
      const { value, retryAt } = await server.get(url, renewalInfoSchema, signal);
      const { start, end } = value.suggestedWindow;
      // RFC 9773 §4.2: a window that does not end after its start is invalid.
      if (Date.parse(end) <= Date.parse(start))
        throw new CaError(plainProblem(`the CA suggests a window from ${start} to ${end}`));
      return {
        window: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
        explanationUrl: safeLink(value.explanationURL),
        retryAt: boundRetry(retryAt, new Date()),
        problem: null,
      };
    } catch (error) {
      const problem = toCaProblem(error, signal);
      const retryAt = problem.retryAt === null ? null : new Date(problem.retryAt);
      return { ...noInfo, retryAt: boundRetry(retryAt, new Date()), problem };
    }
  }
}

function boundRetry(retryAt: Date | null, now: Date): string | null {
  if (retryAt === null) return null;
  const inMs = Math.min(Math.max(retryAt.getTime() - now.getTime(), MIN_RETRY_MS), MAX_RETRY_MS);
  return new Date(now.getTime() + inMs).toISOString();
}

/** The URL comes from outside and is shown as a link. */
function safeLink(url: string | undefined): string | null {
  return url !== undefined && url.length <= MAX_URL && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null;
}
