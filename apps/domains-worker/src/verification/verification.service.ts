import { Inject, Injectable } from '@nestjs/common';
import { mapLanes, type CaaVerdict, type DomainJobs, type JobLane } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns, type DnsCheck } from '@pets/dns';
import { evaluateCaa } from '@pets/domains';
import { CaAccounts } from '../certificate-authority/ca-accounts.js';
import { toCaProblem } from '../certificate-authority/ca-problem.js';
import { ChallengeDns } from '../challenges/challenge-dns.js';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG } from '../providers.js';

/** A check that has taken longer waits for servers that do not answer. Healthy ones take a tenth of it. */
const LONG_MS = 500;

interface LongCheckLimits {
  /** The most long checks of one organization at a time. */
  readonly limit: number;
  readonly longMs?: number;
}

/**
 * Keeps an organization whose zones hang from occupying a lane. Any number of its checks may run, but only some of them for
 * longer than half a second: beyond its share a check is cut short and reports what it knows until then. Missing answers
 * have failed, so they are evidence of nothing.
 */
export class LongChecks {
  readonly #long = new Map<string, number>();
  readonly #limit: number;
  readonly #longMs: number;

  constructor({ limit, longMs = LONG_MS }: LongCheckLimits) {
    this.#limit = limit;
    this.#longMs = longMs;
  }

  /** @param check stops asking when its signal is aborted */
  async run<Result>(organizationId: string, check: (cut: AbortSignal) => Promise<Result>): Promise<Result> {
    const cut = new AbortController();
    let isLong = false;
    const timer = setTimeout(() => {
      isLong = this.#add(organizationId);
      if (!isLong) cut.abort(new Error('the organization has its share of long checks'));
    }, this.#longMs);
    try {
      return await check(cut.signal);
    } finally {
      clearTimeout(timer);
      if (isLong) this.#remove(organizationId);
    }
  }

  #add(organizationId: string): boolean {
    const count = this.#long.get(organizationId) ?? 0;
    if (count >= this.#limit) return false;
    this.#long.set(organizationId, count + 1);
    return true;
  }

  #remove(organizationId: string): void {
    const left = (this.#long.get(organizationId) ?? 1) - 1;
    if (left === 0) this.#long.delete(organizationId);
    else this.#long.set(organizationId, left);
  }
}

/** An organization may occupy this share of a lane with checks that take long. */
const LONG_SHARE = 1 / 4;

/** Queries DNS and reports the findings, which the API evaluates. */
@Injectable()
export class VerificationService {
  private readonly long: Readonly<Record<JobLane, LongChecks>>;

  constructor(
    @Inject(CONFIG) { WORKER_CONCURRENCY }: Pick<Config, 'WORKER_CONCURRENCY'>,
    private readonly dns: DnsServers,
    private readonly accounts: CaAccounts,
    private readonly challenges: ChallengeDns,
    private readonly events: EventSender,
  ) {
    const limit = Math.max(Math.floor(WORKER_CONCURRENCY * LONG_SHARE), 1);
    this.long = mapLanes(() => new LongChecks({ limit }));
  }

  async verify(
    { domainId, generation, attempt, expected, clearedHost, organizationId }: DomainJobs['verify-dns'],
    signal: AbortSignal,
    lane: JobLane,
  ): Promise<void> {
    if (clearedHost !== null) await this.challenges.clear(clearedHost, signal);
    const findings = await this.check(organizationId, signal, lane, (check) => gatherDns(check, expected, new Date()));
    await this.events.send('dns.checked', { domainId, generation, attempt, findings }, signal, lane === 'requested');
  }

  async reverify(job: DomainJobs['reverify-domain'], signal: AbortSignal, lane: JobLane): Promise<void> {
    const { domainId, generation, attempt, expected, organizationId } = job;
    const [findings, caa] = await this.check(organizationId, signal, lane, (check) =>
      Promise.all([gatherDns(check, expected, new Date()), this.evaluateCaa(check, job, signal)]),
    );
    await this.events.send(
      'domain.reverified',
      { domainId, generation, attempt, findings, caa },
      signal,
      lane === 'requested',
    );
  }

  private check<Result>(
    organizationId: string,
    signal: AbortSignal,
    lane: JobLane,
    gather: (check: DnsCheck) => Promise<Result>,
  ): Promise<Result> {
    return this.long[lane].run(organizationId, (cut) =>
      gather(this.dns.open(AbortSignal.any([signal, cut]), organizationId)),
    );
  }

  /**
   * Evaluates CAA; of the methods that may be used, one is enough. The CA itself says which names it has in CAA records. Without
   * its answer the verdict is unknown.
   */
  private async evaluateCaa(
    check: DnsCheck,
    job: DomainJobs['reverify-domain'],
    signal: AbortSignal,
  ): Promise<CaaVerdict> {
    const { expected, methods } = job;
    const [lookups, account] = await Promise.all([
      gatherCaa(check, expected),
      this.accounts.ensure(job, signal).catch((error: unknown) => ({ error: toCaProblem(error, signal).detail })),
    ]);
    const { name } = expected;
    if ('error' in account)
      return { kind: 'unknown', at: name, error: `the CA does not answer: ${account.error}`, failures: [] };
    const { caaIdentities: identities, accountUrl } = account;
    const verdicts = methods.map((method) => evaluateCaa(lookups, name, { identities, accountUrl, method }));
    return (
      verdicts.find(({ kind }) => kind === 'permits') ??
      verdicts[0] ?? { kind: 'unknown', at: name, error: 'no challenge is possible', failures: [] }
    );
  }
}
