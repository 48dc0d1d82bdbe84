import { describe, expect, it } from '@jest/globals';
import type { FailureClass } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleFacts, exampleNow } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger, Transition, WorkKind } from './domain-trigger.js';
import { evaluateReverify } from './reverify.js';
import { transition } from './transition.js';

/**
 * Simulates days of a domain whose orders all fail, in virtual time: work runs when `transition` made it due, each attempt
 * takes some seconds, and the owner clicks whenever that is allowed. Counts the orders at the CA.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const ATTEMPT_MS = 5 * SECOND;
const REVERIFY_AFTER_SECONDS = 1_800;

interface Scenario {
  /** The failure of an order; null for a certificate. */
  readonly orderResult: (now: Date) => { readonly class: FailureClass; readonly retryAt: Date | null } | null;
  readonly isClicking?: boolean;
  /** Whether DNS points here at the nth check. */
  readonly isDnsRight?: (check: number) => boolean;
  readonly facts?: Partial<DomainFacts>;
  /** Whether the CA requests immediate renewal of every certificate. */
  readonly requestsRenewal?: boolean;
}

class Simulation {
  readonly orders: Date[] = [];
  clicks = 0;
  readonly #scenario: Scenario;
  #now = exampleNow;
  #dnsChecks = 0;
  #facts: DomainFacts;
  #hasLastAttemptFailed = false;
  readonly #schedule = new Map<WorkKind, { dueAt: Date | null; failuresInARow: number }>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#facts = { ...exampleFacts, ...scenario.facts };
    this.#schedule.set('issuance', { dueAt: this.#now, failuresInARow: 0 });
    this.#schedule.set('dns', { dueAt: this.#now, failuresInARow: 0 });
  }

  run(days: number): this {
    const end = this.#now.getTime() + days * DAY;
    let nextClick = this.#now.getTime() + MINUTE;
    for (;;) {
      const [kind, dueMs] = this.#nextDue();
      const nextMs = Math.min(dueMs, this.#scenario.isClicking ? nextClick : Infinity);
      if (nextMs > end) return this;
      this.#now = new Date(Math.max(nextMs, this.#now.getTime()));
      if (nextMs === dueMs && kind !== null) this.#work(kind);
      else {
        nextClick += MINUTE;
        this.#click();
      }
    }
  }

  /** The most orders in any 24 hours. */
  worstDay(): number {
    return Math.max(0, ...this.orders.map((from) => this.orders.filter((at) => isWithinADay(from, at)).length));
  }

  #nextDue(): [WorkKind | null, number] {
    let next: [WorkKind | null, number] = [null, Infinity];
    for (const [kind, { dueAt }] of this.#schedule)
      if (dueAt && dueAt.getTime() < next[1]) next = [kind, dueAt.getTime()];
    return next;
  }

  #work(kind: WorkKind): void {
    const entry = this.#schedule.get(kind);
    if (entry) entry.dueAt = null;
    const trigger = this.#resultOf(kind);
    if (trigger !== null) this.#apply(trigger, kind);
  }

  #resultOf(kind: WorkKind): DomainTrigger | null {
    switch (kind) {
      case 'issuance':
        return this.#order();
      case 'dns':
        return { type: 'dns.checked', dns: this.#checkDns(), ownership: null, isClaimedElsewhere: false };
      case 'reverify':
        return { type: 'domain.reverified', dns: this.#checkDns(), caa: { kind: 'permits' } };
      case 'renewal_info': {
        const window = { start: new Date(this.#now.getTime() - DAY), end: this.#now };
        const answer = this.#scenario.requestsRenewal ? window : null;
        return { type: 'renewal_info.fetched', window: answer, explanationUrl: null, retryAt: null, hasFailed: false };
      }
      case 'probe':
        return { type: 'certificate.served' };
    }
  }

  #checkDns() {
    const isRight = this.#scenario.isDnsRight?.(this.#dnsChecks++) ?? true;
    return isRight
      ? ({ kind: 'matches', by: 'target' } as const)
      : { kind: 'mismatch' as const, issues: [], conflicts: [] };
  }

  #order(): DomainTrigger {
    this.orders.push(this.#now);
    this.#now = new Date(this.#now.getTime() + ATTEMPT_MS);
    const failure = this.#scenario.orderResult(this.#now);
    this.#hasLastAttemptFailed = failure !== null;
    if (failure === null) {
      const certificate = { notBefore: this.#now, notAfter: new Date(this.#now.getTime() + 90 * DAY) };
      this.#facts = { ...this.#facts, certificate };
      return { type: 'certificate.issued', renewAt: new Date(this.#now.getTime() + 60 * DAY) };
    }
    const until = failure.retryAt?.toISOString();
    const code = {
      rate: 'ca_rate_limited',
      passing: 'ca_unavailable',
      user: 'ca_refused',
      final: 'ca_refused',
    } as const;
    const issues = [describeIssue(code[failure.class], { detail: 'no', ...(until !== undefined && { until }) })];
    return {
      type: 'certificate.failed',
      failure: { ...failure, issues },
      isPreflightFailure: false,
      hasOtherCa: false,
    };
  }

  #click(): void {
    const facts = {
      state: this.#facts.state,
      hasCertificate: this.#facts.certificate !== null,
      isAttemptInFlight: false,
      hasLastAttemptFailed: this.#hasLastAttemptFailed,
      generationBeganAt: this.#facts.generationBeganAt,
    };
    if (evaluateReverify(facts, REVERIFY_AFTER_SECONDS, this.#now).allowed) {
      this.clicks++;
      this.#apply({ type: 'owner.reverify' });
    } else this.#apply({ type: 'owner.verify' });
  }

  #apply(trigger: DomainTrigger, kind?: WorkKind): void {
    const issuance = this.#schedule.get('issuance');
    const facts: DomainFacts = {
      ...this.#facts,
      failuresInARow: (kind && this.#schedule.get(kind)?.failuresInARow) ?? 0,
      issuance: {
        dueAt: issuance?.dueAt ?? null,
        isUnderWay: kind === 'issuance',
        failuresInARow: issuance?.failuresInARow ?? 0,
      },
      dnsDueAt: this.#schedule.get('dns')?.dueAt ?? null,
      ordersAt: this.orders.filter((at) => isWithinADay(at, this.#now)),
    };
    const outcome = transition(facts, trigger, this.#now);
    if (outcome !== null) this.#save(outcome);
  }

  #save({ state, misconfigured, startsGeneration, work, issues }: Transition): void {
    this.#facts = {
      ...this.#facts,
      state,
      misconfigured,
      ...(startsGeneration && { generationBeganAt: this.#now }),
      ...(issues.dns && { dnsIssues: issues.dns }),
      ...(issues.certificate && { certificateIssues: issues.certificate }),
    };
    if (startsGeneration) this.#hasLastAttemptFailed = false;
    for (const [kind, next] of Object.entries(work) as [WorkKind, NonNullable<Transition['work'][WorkKind]>][]) {
      const failuresInARow = next.failuresInARow ?? this.#schedule.get(kind)?.failuresInARow ?? 0;
      this.#schedule.set(kind, { dueAt: next.dueAt, failuresInARow });
    }
  }
}

function isWithinADay(from: Date, at: Date): boolean {
  return at >= from && at.getTime() < from.getTime() + DAY;
}

const inSeconds = (now: Date, seconds: number) => new Date(now.getTime() + seconds * SECOND);
const failing = (kind: FailureClass, retrySeconds?: number) => (now: Date) => ({
  class: kind,
  retryAt: retrySeconds === undefined ? null : inSeconds(now, retrySeconds),
});
const flapping = (check: number) => check % 2 === 0;
const renewing: Partial<DomainFacts> = {
  state: 'live',
  certificate: { notBefore: exampleNow, notAfter: inSeconds(exampleNow, 90 * 86_400) },
};

describe('a broken name', () => {
  it.each<[string, Scenario, number]>([
    // scenario, orders in four days
    ['refused for the owner’s reasons', { orderResult: failing('user') }, 7],
    ['refused for transient reasons', { orderResult: failing('passing') }, 7],
    ['refused permanently', { orderResult: failing('final') }, 1],
    ['always limited for a minute', { orderResult: failing('rate', 60) }, 7],
    ['limited for a day', { orderResult: failing('rate', 86_400) }, 4],
    ['that cannot be renewed', { orderResult: failing('user'), facts: renewing }, 7],
    ['that is refused permanently at renewal', { orderResult: failing('final'), facts: renewing }, 4],
  ])('%s causes few orders without clicks', (_name, scenario, orders) => {
    const simulation = new Simulation(scenario).run(4);
    expect(simulation.worstDay()).toBeLessThanOrEqual(4);
    expect(simulation.orders).toHaveLength(orders);
  });

  it.each<[string, Scenario]>([
    ['refused for the owner’s reasons', { orderResult: failing('user') }],
    ['refused for transient reasons', { orderResult: failing('passing') }],
    ['of a CA with a retry time', { orderResult: failing('passing', 3_600) }],
    ['refused permanently', { orderResult: failing('final') }],
    ['always limited for a minute', { orderResult: failing('rate', 60) }],
    ['limited without a time', { orderResult: failing('rate') }],
    ['refused, with flapping DNS', { orderResult: failing('user'), isDnsRight: flapping }],
  ])('%s makes at most 5 orders in 24 hours, with a click a minute', (_name, scenario) => {
    const simulation = new Simulation({ ...scenario, isClicking: true }).run(4);
    expect(simulation.worstDay()).toBeGreaterThan(0);
    expect(simulation.worstDay()).toBeLessThanOrEqual(5);
    expect(simulation.clicks).toBeGreaterThan(2);
  });

  it('makes at most 5 orders in 24 hours while its DNS flaps at renewal', () => {
    const scenario = { orderResult: failing('user'), isDnsRight: flapping, isClicking: true, facts: renewing };
    expect(new Simulation(scenario).run(4).worstDay()).toBeLessThanOrEqual(5);
  });

  it('is requested by a click immediately while the limit allows it', () => {
    const simulation = new Simulation({ orderResult: failing('user'), isClicking: true }).run(0.01);
    expect(simulation.orders).toHaveLength(5);
  });
});

it('a CA that limits a name gets no order before its retry time, regardless of clicks', () => {
  const simulation = new Simulation({ orderResult: failing('rate', 6 * 3_600), isClicking: true }).run(2);
  const gaps = simulation.orders.slice(1).map((at, nth) => at.getTime() - (simulation.orders[nth]?.getTime() ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(6 * 3_600_000);
  expect(simulation.clicks).toBeGreaterThan(2);
});

it('a CA that requests immediate renewal of every certificate gets at most 5 orders in 24 hours', () => {
  const simulation = new Simulation({ orderResult: () => null, requestsRenewal: true }).run(4);
  expect(simulation.worstDay()).toBe(5);
});
