import { describe, expect, it } from '@jest/globals';
import type { FailureClass } from '@pets/contracts';
import { describeIssue } from '../issues.js';
import { exampleFacts, exampleNow } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger, Transition, WorkKind } from './domain-trigger.js';
import { evaluateReverify } from './reverify.js';
import { transition } from './transition.js';

/**
 * Days of a domain whose every order fails, in virtual time: the clocks that `transition` sets run, each attempt takes
 * some seconds, and the owner clicks whenever that is allowed. Counts what the CA would see.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const ATTEMPT_MS = 5 * SECOND;
const REVERIFY_AFTER_SECONDS = 1_800;

interface Story {
  /** What becomes of an order; null: a certificate. */
  readonly orderEnds: (now: Date) => { readonly class: FailureClass; readonly retryAt: Date | null } | null;
  readonly isClicking?: boolean;
  /** Whether DNS points here at a look. */
  readonly isDnsRight?: (look: number) => boolean;
  readonly facts?: Partial<DomainFacts>;
  /** Whether the CA wants every certificate to be renewed at once. */
  readonly isCaInAHurry?: boolean;
}

class Simulation {
  readonly orders: Date[] = [];
  clicks = 0;
  private now = exampleNow;
  private looks = 0;
  private facts: DomainFacts;
  private hasLastAttemptFailed = false;
  private readonly clocks = new Map<WorkKind, { dueAt: Date | null; failuresInARow: number }>();

  constructor(private readonly story: Story) {
    this.facts = { ...exampleFacts, ...story.facts };
    this.clocks.set('issuance', { dueAt: this.now, failuresInARow: 0 });
    this.clocks.set('dns', { dueAt: this.now, failuresInARow: 0 });
  }

  run(days: number): this {
    const end = this.now.getTime() + days * DAY;
    let nextClick = this.now.getTime() + MINUTE;
    for (;;) {
      const [kind, dueMs] = this.nextDue();
      const nextMs = Math.min(dueMs, this.story.isClicking ? nextClick : Infinity);
      if (nextMs > end) return this;
      this.now = new Date(Math.max(nextMs, this.now.getTime()));
      if (nextMs === dueMs && kind !== null) this.work(kind);
      else {
        nextClick += MINUTE;
        this.click();
      }
    }
  }

  /** The most orders in any 24 hours. */
  worstDay(): number {
    return Math.max(0, ...this.orders.map((from) => this.orders.filter((at) => isWithinADay(from, at)).length));
  }

  private nextDue(): [WorkKind | null, number] {
    let next: [WorkKind | null, number] = [null, Infinity];
    for (const [kind, { dueAt }] of this.clocks) if (dueAt && dueAt.getTime() < next[1]) next = [kind, dueAt.getTime()];
    return next;
  }

  private work(kind: WorkKind): void {
    const clock = this.clocks.get(kind);
    if (clock) clock.dueAt = null;
    const trigger = this.resultOf(kind);
    if (trigger !== null) this.apply(trigger, kind);
  }

  private resultOf(kind: WorkKind): DomainTrigger | null {
    switch (kind) {
      case 'issuance':
        return this.order();
      case 'dns':
        return { type: 'dns.checked', dns: this.look(), ownership: null, isClaimedElsewhere: false };
      case 'reverify':
        return { type: 'domain.reverified', dns: this.look(), caa: { kind: 'permits' } };
      case 'renewal_info': {
        const window = { start: new Date(this.now.getTime() - DAY), end: this.now };
        const answer = this.story.isCaInAHurry ? window : null;
        return { type: 'renewal_info.fetched', window: answer, explanationUrl: null, retryAt: null, hasFailed: false };
      }
      case 'probe':
        return { type: 'certificate.served' };
    }
  }

  private look() {
    const isRight = this.story.isDnsRight?.(this.looks++) ?? true;
    return isRight
      ? ({ kind: 'matches', by: 'target' } as const)
      : { kind: 'mismatch' as const, issues: [], conflicts: [] };
  }

  private order(): DomainTrigger {
    this.orders.push(this.now);
    this.now = new Date(this.now.getTime() + ATTEMPT_MS);
    const ending = this.story.orderEnds(this.now);
    this.hasLastAttemptFailed = ending !== null;
    if (ending === null) {
      const certificate = { notBefore: this.now, notAfter: new Date(this.now.getTime() + 90 * DAY) };
      this.facts = { ...this.facts, certificate };
      return { type: 'certificate.issued', renewAt: new Date(this.now.getTime() + 60 * DAY) };
    }
    const until = ending.retryAt?.toISOString();
    const code = {
      rate: 'ca_rate_limited',
      passing: 'ca_unavailable',
      user: 'ca_refused',
      final: 'ca_refused',
    } as const;
    const issues = [describeIssue(code[ending.class], { detail: 'no', ...(until !== undefined && { until }) })];
    return { type: 'certificate.failed', failure: { ...ending, issues }, isPreflightFailure: false, hasOtherCa: false };
  }

  private click(): void {
    const facts = {
      state: this.facts.state,
      hasCertificate: this.facts.certificate !== null,
      isAttemptInFlight: false,
      hasLastAttemptFailed: this.hasLastAttemptFailed,
      generationBeganAt: this.facts.generationBeganAt,
    };
    if (evaluateReverify(facts, REVERIFY_AFTER_SECONDS, this.now).allowed) {
      this.clicks++;
      this.apply({ type: 'owner.reverify' });
    } else this.apply({ type: 'owner.verify' });
  }

  private apply(trigger: DomainTrigger, kind?: WorkKind): void {
    const issuance = this.clocks.get('issuance');
    const facts: DomainFacts = {
      ...this.facts,
      failuresInARow: (kind && this.clocks.get(kind)?.failuresInARow) ?? 0,
      issuance: {
        dueAt: issuance?.dueAt ?? null,
        isUnderWay: kind === 'issuance',
        failuresInARow: issuance?.failuresInARow ?? 0,
      },
      dnsDueAt: this.clocks.get('dns')?.dueAt ?? null,
      ordersAt: this.orders.filter((at) => isWithinADay(at, this.now)),
    };
    const outcome = transition(facts, trigger, this.now);
    if (outcome !== null) this.keep(outcome);
  }

  private keep({ state, misconfigured, startsGeneration, work, issues }: Transition): void {
    this.facts = {
      ...this.facts,
      state,
      misconfigured,
      ...(startsGeneration && { generationBeganAt: this.now }),
      ...(issues.dns && { dnsIssues: issues.dns }),
      ...(issues.certificate && { certificateIssues: issues.certificate }),
    };
    if (startsGeneration) this.hasLastAttemptFailed = false;
    for (const [kind, next] of Object.entries(work) as [WorkKind, NonNullable<Transition['work'][WorkKind]>][]) {
      const failuresInARow = next.failuresInARow ?? this.clocks.get(kind)?.failuresInARow ?? 0;
      this.clocks.set(kind, { dueAt: next.dueAt, failuresInARow });
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
const flapping = (look: number) => look % 2 === 0;
const renewing: Partial<DomainFacts> = {
  state: 'live',
  certificate: { notBefore: exampleNow, notAfter: inSeconds(exampleNow, 90 * 86_400) },
};

describe('a broken name', () => {
  it.each<[string, Story, number]>([
    // story, orders in four days
    ['refused for the owner’s reasons', { orderEnds: failing('user') }, 7],
    ['refused for passing reasons', { orderEnds: failing('passing') }, 7],
    ['refused for good', { orderEnds: failing('final') }, 1],
    ['always limited for a minute', { orderEnds: failing('rate', 60) }, 7],
    ['limited for a day', { orderEnds: failing('rate', 86_400) }, 4],
    ['that cannot be renewed', { orderEnds: failing('user'), facts: renewing }, 7],
    ['that is refused for good at renewal', { orderEnds: failing('final'), facts: renewing }, 4],
  ])('%s causes few orders without clicks', (_name, story, orders) => {
    const simulation = new Simulation(story).run(4);
    expect(simulation.worstDay()).toBeLessThanOrEqual(4);
    expect(simulation.orders).toHaveLength(orders);
  });

  it.each<[string, Story]>([
    ['refused for the owner’s reasons', { orderEnds: failing('user') }],
    ['refused for passing reasons', { orderEnds: failing('passing') }],
    ['of a CA that says when', { orderEnds: failing('passing', 3_600) }],
    ['refused for good', { orderEnds: failing('final') }],
    ['always limited for a minute', { orderEnds: failing('rate', 60) }],
    ['limited without a time', { orderEnds: failing('rate') }],
    ['refused, with DNS that comes and goes', { orderEnds: failing('user'), isDnsRight: flapping }],
  ])('%s makes at most 5 orders in 24 hours, with a click a minute', (_name, story) => {
    const simulation = new Simulation({ ...story, isClicking: true }).run(4);
    expect(simulation.worstDay()).toBeGreaterThan(0);
    expect(simulation.worstDay()).toBeLessThanOrEqual(5);
    expect(simulation.clicks).toBeGreaterThan(2);
  });

  it('makes at most 5 orders in 24 hours while its DNS comes and goes at renewal', () => {
    const story = { orderEnds: failing('user'), isDnsRight: flapping, isClicking: true, facts: renewing };
    expect(new Simulation(story).run(4).worstDay()).toBeLessThanOrEqual(5);
  });

  it('is requested by a click immediately while the limit allows it', () => {
    const simulation = new Simulation({ orderEnds: failing('user'), isClicking: true }).run(0.01);
    expect(simulation.orders).toHaveLength(5);
  });
});

it('a CA that limits a name gets no order before its retry time, regardless of clicks', () => {
  const simulation = new Simulation({ orderEnds: failing('rate', 6 * 3_600), isClicking: true }).run(2);
  const gaps = simulation.orders.slice(1).map((at, nth) => at.getTime() - (simulation.orders[nth]?.getTime() ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(6 * 3_600_000);
  expect(simulation.clicks).toBeGreaterThan(2);
});

it('a CA that requests immediate renewal of every certificate gets at most 5 orders in 24 hours', () => {
  const simulation = new Simulation({ orderEnds: () => null, isCaInAHurry: true }).run(4);
  expect(simulation.worstDay()).toBe(5);
});
