import { Inject, Injectable } from '@nestjs/common';
import { exponentialDelayMs, pause } from '@pets/async';
import { DnsServers, DnsUpdater, DnsUpdateError, type TxtPropagation } from '@pets/dns';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { CONFIG, LOG } from '../providers.js';

/** TXT values at a name in the zone of challenges. */
export interface ChallengeRecords {
  readonly name: string;
  readonly values: readonly string[];
}

/** Seconds for which a resolver of the CA may keep a value: each order has another one. */
const TTL_SECONDS = 1;
/** Secondaries usually have a change within a second. An order may wait as long, and its job has longer. */
const PROPAGATION_LIMIT_MS = 30_000;
const RETRY_DELAY = { firstMs: 1_000, maxMs: 60_000 };

/**
 * The zone of DNS-01 challenges at the operator's name server. Values are added to those that a name has and removed one by
 * one, so that several orders for a name do not disturb each other.
 */
@Injectable()
export class ChallengeDns {
  private readonly updater: DnsUpdater | null;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'ACME_DNS_SERVER' | 'ACME_DNS_ZONE' | 'ACME_DNS_TSIG_KEY'>,
    @Inject(LOG) private readonly log: Logger,
    private readonly dns: DnsServers,
  ) {
    const { ACME_DNS_SERVER: server, ACME_DNS_ZONE: zone, ACME_DNS_TSIG_KEY: key } = config;
    const isConfigured = server !== undefined && zone !== undefined && key !== undefined;
    this.updater = isConfigured ? new DnsUpdater({ server, zone, key }) : null;
  }

  /** Checks the settings in the background, so that a wrong one is in the log before the first order needs it. */
  start(): void {
    if (this.updater === null) return;
    this.checkUntilDone(this.updater).catch((error: unknown) =>
      this.log.error({ err: error }, 'challenge zone check failed'),
    );
  }

  stop(): void {
    this.stopping.abort(new Error('the process is stopping'));
  }

  /**
   * Adds values and waits until every name server of the zone answers them. Remove them in any case, also after an error.
   * @throws DnsUpdateError if the name server does not confirm the update
   */
  async publish({ name, values }: ChallengeRecords, signal: AbortSignal): Promise<TxtPropagation> {
    const { updater, zone } = this.required();
    const changes = values.map((value) => ({ kind: 'add', name, value, ttl: TTL_SECONDS }) as const);
    await updater.update(changes, signal);
    return this.dns.waitForTxt(zone, { name, values }, { limitMs: PROPAGATION_LIMIT_MS, signal });
  }

  /**
   * Removes values. It succeeds if they are not there.
   * @throws DnsUpdateError if the name server does not confirm the update
   */
  async remove({ name, values }: ChallengeRecords, signal: AbortSignal): Promise<void> {
    const changes = values.map((value) => ({ kind: 'remove', name, value }) as const);
    await this.required().updater.update(changes, signal);
  }

  /**
   * Removes every value of a name, for one that no order uses any more.
   * @throws DnsUpdateError if the name server does not confirm the update
   */
  async removeAll(name: string, signal: AbortSignal): Promise<void> {
    await this.required().updater.update([{ kind: 'remove_all', name }], signal);
  }

  /** Removes what a worker that died may have left of the challenges of a name. It never rejects: the next attempt tries again. */
  async clear(name: string, signal: AbortSignal): Promise<void> {
    await this.removeAll(name, signal).catch((error: unknown) => {
      this.log.warn({ err: error, name }, 'earlier answers to challenges not removed; trying again');
    });
  }

  private required(): { readonly updater: DnsUpdater; readonly zone: string } {
    const zone = this.config.ACME_DNS_ZONE;
    if (this.updater === null || zone === undefined) throw new Error('there is no zone for challenges');
    return { updater: this.updater, zone };
  }

  private async checkUntilDone(updater: DnsUpdater): Promise<void> {
    const { signal } = this.stopping;
    const { ACME_DNS_ZONE: zone, ACME_DNS_SERVER: server } = this.config;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await updater.update([], signal);
        return this.log.info({ zone, server }, 'challenge zone ready');
      } catch (error) {
        if (!(error instanceof DnsUpdateError)) throw error;
        const pauseMs = exponentialDelayMs(RETRY_DELAY, failures);
        this.log.warn({ reason: error.reason, problem: error.message, pauseMs }, 'challenge zone not ready yet');
        await pause(pauseMs, signal);
      }
    }
  }
}
