import { Injectable } from '@nestjs/common';
import type { CaaVerdict, DomainJobs, ExpectedDns } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns, type DnsCheck } from '@pets/dns';
import { evaluateCaa } from '@pets/domains';
import { CaAccounts, type AccountRef } from '../certificate-authority/ca-accounts.js';
import { toCaProblem } from '../certificate-authority/ca-problem.js';
import { EventSender } from '../events/event-sender.js';

/** Queries DNS and reports the findings, which the API evaluates. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly dns: DnsServers,
    private readonly accounts: CaAccounts,
    private readonly events: EventSender,
  ) {}

  async verify(
    { domainId, generation, attempt, expected }: DomainJobs['verify-dns'],
    signal: AbortSignal,
    isAwaited: boolean,
  ): Promise<void> {
    const findings = await gatherDns(this.dns.open(signal), expected, new Date());
    await this.events.send('dns.checked', { domainId, generation, attempt, findings }, signal, isAwaited);
  }

  async reverify(job: DomainJobs['reverify-domain'], signal: AbortSignal, isAwaited: boolean): Promise<void> {
    const { domainId, generation, attempt, expected } = job;
    const check = this.dns.open(signal);
    const [findings, caa] = await Promise.all([
      gatherDns(check, expected, new Date()),
      this.evaluateCaa(check, expected, job, signal),
    ]);
    await this.events.send('domain.reverified', { domainId, generation, attempt, findings, caa }, signal, isAwaited);
  }

  /** The CA itself says which names it has in CAA records. Without its answer the verdict is unknown. */
  private async evaluateCaa(
    check: DnsCheck,
    expected: ExpectedDns,
    ref: AccountRef,
    signal: AbortSignal,
  ): Promise<CaaVerdict> {
    const [lookups, account] = await Promise.all([
      gatherCaa(check, expected),
      this.accounts.ensure(ref, signal).catch((error: unknown) => ({ error: toCaProblem(error, signal).detail })),
    ]);
    const { name } = expected;
    if ('error' in account) return { kind: 'unknown', at: name, error: `the CA does not answer: ${account.error}` };
    return evaluateCaa(lookups, name, { identities: account.caaIdentities, accountUrl: account.accountUrl });
  }
}
