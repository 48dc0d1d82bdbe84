/**
 * Orders the certificate of `*.<platform domain>` for the service itself. The schedule is a row (`platform-orders.repository.ts`);
 * every replica polls it, and one leases it. The worker gets the jobs that it gets for domains, validates by DNS-01, and
 * reports the same events (`platform-certificate-outcomes.service.ts`).
 *
 * An order counts towards the limits of its CA like every other (`ca_attempts`), but waits for no slot: it is one
 * order in two months, and without it no project is reachable. Everything else that keeps a CA from being asked holds.
 */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { certificateKeyBinding, PLATFORM_ORGANIZATION } from '@pets/contracts';
import { chooseCa, describeIssue } from '@pets/domains';
import type { DomainJob, Messaging } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import { seal, type Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Config } from '../../platform/config.js';
import { dispatchClaims } from '../../platform/lease-dispatcher.js';
import { CONFIG, DATABASE, LOG, MESSAGING } from '../../platform/providers.js';
import { CaSelectionLoader } from '../ca-selection-loader.js';
import { CertificateAttemptsRepository } from '../certificate-attempts.repository.js';
import { CertificateAuthorities } from '../certificate-authorities.js';
import { UnhandledReports } from '../open-orders.service.js';
import { EdgeFeed } from '../../names/edge-ports.js';
import { createKeyAndCsr } from '../x509.js';
import {
  PlatformCertificatesRepository,
  type OpenPlatformOrder,
  type PlatformReservation,
} from './platform-certificates.repository.js';
import { PlatformOrdersRepository, type PlatformClaim } from './platform-orders.repository.js';
import { platformSubjectOf, type PlatformSubject } from './platform-subject.js';

/** Poll interval, which also applies after the command `platform-certificate renew`. */
const POLL_MS = 5_000;
const PAUSE_MS = 100;
const FAILURE = 'platform certificate not dispatched; trying again';

/** While the report of an order may be in the queue, and before there is an account, no order is placed. */
const WAIT_SECONDS = 1;

/** Jobs name a generation of their domain. There is only one. */
const GENERATION = 1;

@Injectable()
export class PlatformCertificateDispatcher implements OnModuleInit {
  private readonly subject: PlatformSubject | null;
  private hasRow = false;

  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<
      Config,
      'ACME_PROFILE' | 'CERTIFICATE_KEKS' | 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE' | 'ISSUE_PLATFORM_CERTIFICATE'
    >,
    @Inject(DATABASE) private readonly db: Database,
    private readonly orders: PlatformOrdersRepository,
    private readonly certificates: PlatformCertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly selections: CaSelectionLoader,
    private readonly cas: CertificateAuthorities,
    private readonly feed: EdgeFeed,
    private readonly reports: UnhandledReports,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.subject = platformSubjectOf(config);
  }

  onModuleInit(): void {
    const { subject } = this;
    if (subject === null) return;
    const round = () => this.round(subject);
    this.tasks.poll({ pollMs: POLL_MS, pauseMs: PAUSE_MS, failure: FAILURE, round });
  }

  private async round(subject: PlatformSubject): Promise<void> {
    const { domainId: id, name } = subject;
    if (!this.hasRow) await this.orders.ensure(id, name);
    this.hasRow = true;
    const order = await this.orders.claimOrder(id);
    if (order !== undefined) await this.dispatch('order', order, () => this.buildOrder(subject, order));
    const info = await this.orders.claimRenewalInfo(id);
    if (info !== undefined) await this.dispatch('renewal_info', info, () => this.buildRenewalInfo(subject, info));
  }

  /** @param build returns undefined when there is nothing to do for the worker */
  private dispatch(
    kind: 'order' | 'renewal_info',
    claim: PlatformClaim,
    build: () => Promise<DomainJob | undefined>,
  ): Promise<void> {
    const { log, messaging, orders, subject } = this;
    return dispatchClaims([claim], {
      build: async () => {
        const job = await build();
        return { jobs: job === undefined ? [] : [{ claim, job }], answers: [] };
      },
      enqueue: (jobs) => messaging.jobs.certificates.addBulk(jobs),
      release: async (open, seconds) => {
        if (subject !== null && open.length > 0) await orders.release(subject.domainId, kind, claim, seconds);
      },
      failure: FAILURE,
      log,
    });
  }

  private async buildOrder(subject: PlatformSubject, claim: PlatformClaim): Promise<DomainJob | undefined> {
    const { domainId, name, expected } = subject;
    const open = await this.certificates.findOpenOrder(domainId);
    if (open !== undefined && open.expiresAt > new Date() && this.cas.find(open.directoryUrl) !== undefined)
      return this.continueOrder(subject, claim, open);
    const unreported = await this.certificates.listUnreported(domainId);
    if ((await this.reports.findPossible(unreported, new Date())).size > 0) {
      await this.orders.release(domainId, 'order', claim, WAIT_SECONDS);
      return undefined;
    }
    const { thumbprint: accountThumbprint } = await this.feed.head();
    if (accountThumbprint === null) {
      await this.orders.release(domainId, 'order', claim, WAIT_SECONDS);
      return undefined;
    }
    const hasLost = await this.certificates.endLost(domainId);
    const id = randomUUID();
    const { keyPem, csrPem } = await createKeyAndCsr(name);
    const binding = certificateKeyBinding(id, PLATFORM_ORGANIZATION);
    const sealedKey = seal(this.config.CERTIFICATE_KEKS, keyPem, binding);
    const reserved = await this.reserve(subject, { id, attempt: claim.attempt, accountThumbprint, csrPem, sealedKey });
    if (reserved === undefined) return undefined;
    const { directoryUrl, replaces } = reserved;
    const payload = {
      ...{
        ...leaseOf(domainId, claim),
        expected,
        methods: ['dns-01' as const],
        directoryUrl,
        accountThumbprint,
        csrPem,
        replaces,
        order: null,
      },
      profile: this.config.ACME_PROFILE ?? null,
      clearedHost: hasLost ? expected.delegation.target : null,
    };
    return { name: 'issue-certificate', payload };
  }

  private async continueOrder(
    { domainId, expected }: PlatformSubject,
    claim: PlatformClaim,
    { id, directoryUrl, accountThumbprint, csrPem, url }: OpenPlatformOrder,
  ): Promise<DomainJob> {
    await this.certificates.takeOver(id, claim.attempt);
    const payload = {
      ...{ ...leaseOf(domainId, claim), expected, methods: ['dns-01' as const], directoryUrl },
      ...{
        accountThumbprint,
        csrPem,
        clearedHost: null,
        profile: null,
        replaces: null,
        order: { url, isReadOnly: false },
      },
    };
    return { name: 'issue-certificate', payload };
  }

  /** Chooses the CA under its lock, as for domains. Without one that may be asked now, the order is postponed. */
  private async reserve(
    subject: PlatformSubject,
    prepared: Pick<PlatformReservation, 'id' | 'attempt' | 'accountThumbprint' | 'csrPem' | 'sealedKey'>,
  ): Promise<PlatformReservation | undefined> {
    const { domainId: id } = subject;
    return this.db.transaction().execute(async (tx) => {
      await this.attempts.lock(tx, this.cas.limitedUrls);
      const schedule = await this.orders.lock(tx, id);
      if (schedule?.attempt !== prepared.attempt) return undefined; // another replica has leased it since
      const now = new Date();
      const newest = await this.certificates.findNewest(id, tx);
      const { accountThumbprint } = prepared;
      const selection = await this.selections.load(tx, [subject], now, {
        newest: new Map(newest === undefined ? [] : [[id, newest]]),
        inherited: new Set(this.cas.configured.map(({ directoryUrl }) => `${directoryUrl} ${id}`)),
        accountThumbprint,
      });
      const choice = chooseCa(selection.candidatesFor(subject), now);
      const { directoryUrl } = choice.candidate;
      if (choice.kind === 'deferred') {
        const detail = `${new URL(directoryUrl).hostname} accepts no order`;
        const { code, message } = describeIssue('ca_rate_limited', { detail, until: choice.until.toISOString() });
        const retry = { dueAt: choice.until, problem: { code, text: message } };
        await this.orders.scheduleRetry(tx, id, { ...schedule, ...retry }, now);
        return undefined;
      }
      const order = selection.orderFor(subject, directoryUrl);
      const reservation = { ...prepared, ...order, directoryUrl };
      await this.certificates.reserve(tx, subject, reservation, now);
      return reservation;
    });
  }

  private async buildRenewalInfo({ domainId }: PlatformSubject, claim: PlatformClaim): Promise<DomainJob | undefined> {
    const { directoryUrl, identifier = null } = (await this.certificates.findNewest(domainId)) ?? {};
    if (directoryUrl === undefined || identifier === null) return undefined;
    const payload = { ...leaseOf(domainId, claim), directoryUrl, certificateIdentifier: identifier };
    return { name: 'fetch-renewal-info', payload };
  }
}

function leaseOf(domainId: string, { attempt, leaseUntil }: PlatformClaim) {
  return { domainId, generation: GENERATION, attempt, leaseUntil: leaseUntil.toISOString() };
}
