import { randomBytes, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isWildcard, type DomainJobs, type ExpectedDns } from '@pets/contracts';
import {
  chooseProbeEdges,
  delegationFor,
  isWorkHeld,
  wildcardProbeOf,
  type DomainTrigger,
  type ProbeCandidate,
} from '@pets/domains';
import type { DomainJob, Traced } from '@pets/messaging';
import { CertificatesRepository, ServedCertificates } from '../certificates/certificates.repository.js';
import { ChallengeMethods } from '../certificates/challenge-methods.service.js';
import { IssuancePlans } from '../certificates/issuance-plans.service.js';
import { OpenOrders, type ContinuedOrder } from '../certificates/open-orders.service.js';
import { EdgeAcknowledgements, EdgeFeed, EdgeProbes } from '../names/edge-ports.js';
import { expectedDnsOf } from '../names/expected-dns.js';
import { PublicAddresses } from '../names/public-addresses.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import type { Built } from '../platform/lease-dispatcher.js';
import { CLOCK, CONFIG } from '../platform/providers.js';
import type { ClaimedWork } from '../schedule/claim.query.js';

/** A failing edge can cost the worker a handshake's time limit, so one is probed again at most this often by a replica. */
const RECHECK_MS = 1_000;

/** Bound of the random start of a replica's rotation, so that replicas do not choose the same edges. */
const MAX_ROTATION = 1_000_000;

/** The edges of a job. */
type ProbeSample = Pick<DomainJobs['probe-edge'], 'edges' | 'spares' | 'rechecks' | 'suspects'>;

/** Chooses the edges that each probe asks, and which failing edges it asks again beside them. */
@Injectable()
export class ProbeSamples {
  private rotation = randomInt(MAX_ROTATION);
  private nextRecheckAtMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PROBE_EDGES'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly probes: EdgeProbes,
  ) {}

  /** Reads the edges. @returns a function that chooses the next sample of them */
  async prepare(version: number): Promise<() => ProbeSample> {
    const candidates = await this.probes.listCandidates(version);
    return () => this.choose(candidates);
  }

  private choose(candidates: readonly ProbeCandidate[]): ProbeSample {
    this.rotation += 1;
    const options = { limit: this.config.PROBE_EDGES, rotation: this.rotation };
    const { edges, spares, suspects } = chooseProbeEdges(candidates, options);
    const rechecks = this.mayRecheck(suspects) ? suspects.slice(0, 1) : [];
    const failing = [...edges, ...spares, ...rechecks].filter(({ failures }) => failures > 0);
    return {
      edges: edges.map(targetOf),
      spares: spares.map(targetOf),
      rechecks: rechecks.map(targetOf),
      suspects: failing.map(({ edgeId }) => edgeId),
    };
  }

  private mayRecheck(suspects: readonly ProbeCandidate[]): boolean {
    const nowMs = this.clock().getTime();
    if (suspects.length === 0 || nowMs < this.nextRecheckAtMs) return false;
    this.nextRecheckAtMs = nowMs + RECHECK_MS;
    return true;
  }
}

function targetOf({ edgeId, address }: ProbeCandidate): ProbeSample['edges'][number] {
  return { edgeId, address };
}

/** How long issuance and probes wait for reachable edges. */
const EDGE_WAIT_MS = 2_000;

/** Each job continues the trace that made it due. An answer is a trigger for the domain when no job is needed. */
export type BuiltWork = Built<ClaimedWork, DomainJob & Traced, DomainTrigger>;

/** Builds the jobs of due work. A job contains everything the worker needs, so the worker never queries the API. */
@Injectable()
export class JobBuilder {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly feed: EdgeFeed,
    private readonly acks: EdgeAcknowledgements,
    private readonly plans: IssuancePlans,
    private readonly openOrders: OpenOrders,
    private readonly methods: ChallengeMethods,
    private readonly certificates: CertificatesRepository,
    private readonly served: ServedCertificates,
    private readonly samples: ProbeSamples,
    private readonly addresses: PublicAddresses,
  ) {}

  /** Jobs that do not involve edges. */
  async build(claims: readonly ClaimedWork[]): Promise<BuiltWork> {
    const jobs = claims
      .filter(({ kind }) => kind === 'dns')
      .map((claim) =>
        jobOf(claim, {
          name: 'verify-dns',
          payload: { ...this.checkOf(claim), clearedHost: this.clearedHostOf(claim) },
        }),
      );
    return joined({ jobs, answers: [] }, await this.buildReverifications(claims), await this.buildRenewalInfo(claims));
  }

  /**
   * Jobs that involve edges: waits until the reachable ones know the names. Leaves out work that cannot be done yet (no ACME
   * account, no certificate to probe for).
   */
  async buildAfterEdges(claims: readonly ClaimedWork[]): Promise<BuiltWork> {
    const [issuances, probes] = await Promise.all([
      this.buildIssuances(claims),
      this.waitForEdges(claims).then((version) => this.buildProbes(claims, version)),
    ]);
    return joined(issuances, probes);
  }

  /** @returns the newest version with a change of the names */
  private async waitForEdges(claims: readonly ClaimedWork[]): Promise<number> {
    const version = await this.feed.versionOf(claims.map(({ name }) => name));
    await this.acks.waitUntilKnown(version, EDGE_WAIT_MS);
    return version;
  }

  private checkOf(claim: ClaimedWork) {
    const { organizationId } = claim;
    return { ...leaseOf(claim), organizationId, expected: this.expectedOf(claim) };
  }

  private expectedOf(claim: ClaimedWork): ExpectedDns {
    return expectedDnsOf(claim, this.config, this.addresses.expected);
  }

  /**
   * The first check after a removal, an hour later, deletes what a worker that died may have left in our zone. Not where a
   * wildcard and its base share the name there: the other one may have an order under way.
   */
  private clearedHostOf(claim: ClaimedWork): string | null {
    const { ACME_DNS_ZONE: zone } = this.config;
    if (
      claim.sharesDelegation ||
      claim.state !== 'removed' ||
      (claim.preparedAt ?? claim.delegatedAt) === null ||
      zone === undefined
    )
      return null;
    return delegationFor(claim.name, claim.delegationToken, zone).target;
  }

  /** CAA can permit one CA and not another, so it is checked for the CA that would be used. */
  private async buildReverifications(claims: readonly ClaimedWork[]): Promise<BuiltWork> {
    const reverifications = claims.filter(({ kind }) => kind === 'reverify');
    const previewed = await this.plans.previewCa(reverifications);
    const methods = await this.methods.choose(reverifications);
    const jobs = reverifications.flatMap((claim) => {
      const directoryUrl = previewed.get(claim.domainId);
      if (directoryUrl === undefined) return [];
      const chosen = methods.get(claim.domainId)?.methods ?? [isWildcard(claim.name) ? 'dns-01' : 'http-01'];
      const payload = { ...this.checkOf(claim), directoryUrl, methods: [...chosen] };
      return [jobOf(claim, { name: 'reverify-domain', payload })];
    });
    return { jobs, answers: [] };
  }

  /** Renewal information comes from the CA that issued. A certificate without an identifier is renewed by its dates. */
  private async buildRenewalInfo(claims: readonly ClaimedWork[]): Promise<BuiltWork> {
    const requests = claims.filter(({ kind }) => kind === 'renewal_info');
    const newest = await this.certificates.findNewest(requests.map(({ domainId }) => domainId));
    const built = requests.map((claim): BuiltWork => {
      const { directoryUrl, identifier = null } = newest.get(claim.domainId) ?? {};
      if (directoryUrl === undefined || identifier === null)
        return { jobs: [], answers: [{ claim, answer: NO_RENEWAL_INFO }] };
      const payload = { ...leaseOf(claim), directoryUrl, certificateIdentifier: identifier };
      return { jobs: [jobOf(claim, { name: 'fetch-renewal-info', payload })], answers: [] };
    });
    return joined(...built);
  }

  private async buildIssuances(claims: readonly ClaimedWork[]): Promise<BuiltWork> {
    const issuances = claims.filter(({ kind }) => kind === 'issuance');
    const { thumbprint } = issuances.length === 0 ? { thumbprint: null } : await this.feed.head();
    if (thumbprint === null) return { jobs: [], answers: [] };
    const { continued, givenUp, others: without } = await this.openOrders.continueAll(issuances);
    // A suspended domain was claimed for an order that has ended meanwhile: the next claim holds it.
    const others = without.filter((claim) => !isWorkHeld(claim, new Date()));
    const methods = await this.methods.choose(others);
    const isPossible = ({ domainId, state }: ClaimedWork) => state !== 'removed' && methods.has(domainId);
    const possible = others.filter(isPossible);
    const { orders, queued, parked, refusals } = await this.plans.reserve(possible, thumbprint);
    const jobs = orders.flatMap(({ attempt: claim, directoryUrl, accountThumbprint, csrPem, replaces }) => {
      const expected = this.expectedOf(claim);
      const chosen = methods.get(claim.domainId);
      if (chosen === undefined) return [];
      const isCleared = chosen.hasLost && !claim.sharesDelegation;
      const clearedHost = isCleared ? (expected.delegation?.target ?? null) : null;
      const profile = this.config.ACME_PROFILE ?? null;
      const order = { directoryUrl, accountThumbprint, csrPem, profile, replaces, order: null };
      const payload = { ...leaseOf(claim), expected, methods: [...chosen.methods], clearedHost, ...order };
      return [jobOf(claim, { name: 'issue-certificate', payload })];
    });
    const impossible = others.filter((claim) => !isPossible(claim));
    const answers = refusals.map(({ attempt: claim, until, issue }) => ({
      claim,
      answer: { type: 'issuance.postponed', until, issue } as const,
    }));
    const below = parked.map(({ attempt: claim, until, issue }) => ({
      claim,
      answer: { type: 'issuance.parked', until, issue } as const,
    }));
    const waiting = queued.map((claim) => ({ claim, answer: { type: 'issuance.queued' } as const }));
    const lost = givenUp.map(({ attempt: claim, nextOrderAt, reason }) => ({
      claim,
      answer: { type: 'order.given_up', nextOrderAt, reason } as const,
    }));
    const ended = impossible.map((claim) => ({ claim, answer: { type: 'issuance.impossible' } as const }));
    return {
      jobs: [...continued.map((order) => this.continueOrder(order, thumbprint)), ...jobs],
      answers: [...answers, ...below, ...waiting, ...lost, ...ended],
    };
  }

  /**
   * The order of a name that must not get a certificate now, and one that has expired, is only read: the CA may have issued. So
   * is one of a replaced key, for whose challenges no edge answers any more.
   */
  private continueOrder(continued: ContinuedOrder<ClaimedWork>, thumbprint: string): BuiltWork['jobs'][number] {
    const { attempt: claim, directoryUrl, accountThumbprint, csrPem, order, hasExpired } = continued;
    const isUnanswered = order.method === 'http-01' && accountThumbprint !== thumbprint;
    const isReadOnly = hasExpired || isUnanswered || claim.state === 'removed' || isWorkHeld(claim, new Date());
    const payload = {
      ...{ ...leaseOf(claim), expected: this.expectedOf(claim), methods: [order.method], clearedHost: null },
      ...{
        directoryUrl,
        accountThumbprint,
        csrPem,
        profile: null,
        replaces: null,
        order: { url: order.url, isReadOnly },
      },
    };
    return jobOf(claim, { name: 'issue-certificate', payload });
  }

  private async buildProbes(claims: readonly ClaimedWork[], version: number): Promise<BuiltWork> {
    const probes = claims.filter(({ kind }) => kind === 'probe');
    if (probes.length === 0) return { jobs: [], answers: [] };
    const [nextSample, served] = await Promise.all([
      this.samples.prepare(version),
      this.served.find(probes.map(({ domainId }) => domainId)),
    ]);
    const jobs = probes.flatMap((claim) => {
      const leafSha256 = served.get(claim.domainId);
      if (leafSha256 === undefined) return [];
      const payload = { ...leaseOf(claim), name: visitedNameOf(claim.name), leafSha256, ...nextSample() };
      return [jobOf(claim, { name: 'probe-edge', payload })];
    });
    return { jobs, answers: [] };
  }
}

/** A name that visitors can ask for: of a wildcard, a random one that it covers. */
function visitedNameOf(name: string): string {
  return isWildcard(name) ? wildcardProbeOf(name, randomBytes(NONCE_BYTES).toString('hex')) : name;
}

const NONCE_BYTES = 8;

const NO_RENEWAL_INFO = {
  type: 'renewal_info.fetched',
  window: null,
  explanationUrl: null,
  retryAt: null,
  hasFailed: false,
} as const satisfies DomainTrigger;

function jobOf(claim: ClaimedWork, job: DomainJob): BuiltWork['jobs'][number] {
  return { claim, job: { ...job, traceParent: claim.traceParent } };
}

function joined(...built: readonly BuiltWork[]): BuiltWork {
  return { jobs: built.flatMap(({ jobs }) => jobs), answers: built.flatMap(({ answers }) => answers) };
}

function leaseOf({ domainId, generation, attempt, leaseUntil }: ClaimedWork) {
  return { domainId, generation, attempt, leaseUntil: leaseUntil.toISOString() };
}
