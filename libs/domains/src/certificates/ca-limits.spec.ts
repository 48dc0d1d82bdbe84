import { describe, expect, it } from '@jest/globals';
import {
  configuredCas,
  describeLimit,
  evaluateBudget,
  isCounted,
  knownCaLimits,
  parseCaLimits,
  type BudgetUsage,
  type LimitKind,
  type OrderFacts,
} from './ca-limits.js';

const now = new Date('2026-03-01T12:00:00Z');
const production = knownCaLimits('https://acme-v02.api.letsencrypt.org/directory');
const first: OrderFacts = { isRenewal: false, isReplacement: false };
const renewal: OrderFacts = { isRenewal: true, isReplacement: false };
const replacement: OrderFacts = { isRenewal: true, isReplacement: true };

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
const agoHours = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
/** A reservation from this time can no longer succeed. */
const weekAndAttemptAgo = new Date(now.getTime() - WEEK_HOURS * HOUR_MS - 60_000);
const times = (count: number, hours: number) => Array.from({ length: count }, () => agoHours(hours));
/** A window later, and what an attempt may take besides. */
const freedAfter = (time: Date, windowHours: number) => new Date(time.getTime() + windowHours * HOUR_MS + 60_000);

describe('limits', () => {
  it.each<[string, number]>([
    ['https://acme-v02.api.letsencrypt.org/directory', 4],
    ['https://acme-staging-v02.api.letsencrypt.org/directory', 3],
    ['https://localhost:14000/dir', 0],
    ['https://acme.zerossl.com/v2/DV90', 0],
    ['https://acme-v02.api.letsencrypt.org.example/directory', 0],
  ])('of %s are %d', (url, count) => expect(knownCaLimits(url)).toHaveLength(count));

  it('of the staging environment are wider, and none is of a registered domain', () => {
    expect(knownCaLimits('https://acme-staging-v02.api.letsencrypt.org/directory')).toEqual([
      { kind: 'exact_set', max: 30_000, windowMs: WEEK_HOURS * HOUR_MS },
      { kind: 'failures', max: 200, windowMs: HOUR_MS },
      { kind: 'orders', max: 1_500, windowMs: 3 * HOUR_MS },
    ]);
  });

  it.each([
    [90 / 60, '90 min'],
    [24, '24 h'],
    [36, '36 h'],
    [48, '2 days'],
  ])('of %d hours are described in the largest unit of which there are two', (hours, window) => {
    const limit = { kind: 'orders', max: 9, windowMs: hours * HOUR_MS } as const;
    expect(describeLimit(limit, { name: 'x', apexName: 'x' })).toBe(`9 new certificates of this service in ${window}`);
  });

  it('are described for the owner', () => {
    const names = { name: 'docs.example.com', apexName: 'example.com' };
    expect(production.map((limit) => describeLimit(limit, names))).toEqual([
      '50 certificates for example.com and the names below it in 7 days',
      '5 certificates for docs.example.com in 7 days',
      '5 failed validations of docs.example.com in 1 h',
      '300 new certificates of this service in 3 h',
    ]);
  });
});

describe('the budget', () => {
  it.each<[string, BudgetUsage, OrderFacts, LimitKind | null]>([
    ['nothing used', {}, first, null],
    ['one left of the registered domain', { registered_domain: times(49, 1) }, first, null],
    ['none left of the registered domain', { registered_domain: times(50, 1) }, first, 'registered_domain'],
    ['fifty, long ago', { registered_domain: times(50, WEEK_HOURS + 1) }, first, null],
    ['fifty, one of them long ago', { registered_domain: [...times(49, 1), agoHours(WEEK_HOURS + 1)] }, first, null],
    ['a renewal under a full registered domain', { registered_domain: times(50, 1) }, renewal, null],
    ['one left of the exact set', { exact_set: times(4, 1) }, first, null],
    ['none left of the exact set', { exact_set: times(5, 1) }, first, 'exact_set'],
    ['a renewal of a full exact set', { exact_set: times(5, 1) }, renewal, 'exact_set'],
    [
      'five, as long ago as the window and half an attempt',
      { exact_set: times(5, WEEK_HOURS + 1 / 120) },
      first,
      'exact_set',
    ],
    [
      'five, as long ago as the window and an attempt',
      { exact_set: Array<Date>(5).fill(weekAndAttemptAgo) },
      first,
      null,
    ],
    ['five failures within the hour', { failures: times(5, 0.5) }, first, 'failures'],
    ['five failures, an hour ago', { failures: times(5, 1.1) }, first, null],
    ['a renewal after five failures', { failures: times(5, 0.5) }, renewal, 'failures'],
    [
      'a replacement, everything full',
      {
        registered_domain: times(50, 1),
        exact_set: times(5, 1),
        failures: times(5, 0.5),
      },
      replacement,
      null,
    ],
  ])('%s', (_name, usage, order, refusedBy) => {
    const [refusal] = evaluateBudget(production, usage, null, order, now);
    expect(refusal?.limit.kind ?? null).toBe(refusedBy);
  });

  it('is available again when the oldest blocking order has left the window', () => {
    const oldest = agoHours(100);
    const usage = { registered_domain: [...times(20, 5), oldest, ...times(29, 50)] };
    expect(evaluateBudget(production, usage, null, first, now)).toMatchObject([
      { until: freedAfter(oldest, WEEK_HOURS) },
    ]);
  });

  it('counts no further back than it has to, where more was used than is allowed', () => {
    const fifth = agoHours(60);
    const usage = { exact_set: [agoHours(80), agoHours(70), fifth, ...times(4, 5)] };
    expect(evaluateBudget(production, usage, null, first, now)).toMatchObject([
      { until: freedAfter(fifth, WEEK_HOURS) },
    ]);
  });

  it.each<[string, BudgetUsage, LimitKind]>([
    ['of two', { exact_set: times(5, 1), failures: times(5, 0.5) }, 'failures'],
    [
      'of two, in another order',
      { registered_domain: times(50, WEEK_HOURS - 1), exact_set: times(5, 1) },
      'registered_domain',
    ],
  ])('reports every limit, first the one that ends last: %s', (_name, usage, other) => {
    expect(evaluateBudget(production, usage, null, first, now).map(({ limit }) => limit.kind)).toEqual([
      'exact_set',
      other,
    ]);
  });

  it.each<[string, OrderFacts, LimitKind | null]>([
    ['a first order', first, 'orders'],
    ['a renewal', renewal, null],
    ['a replacement', replacement, null],
  ])('without a slot of the account: %s', (_name, order, refusedBy) => {
    expect(evaluateBudget(production, {}, agoHours(-1), order, now)).toEqual(
      refusedBy === null ? [] : [{ limit: expect.objectContaining({ kind: refusedBy }), until: agoHours(-1) }],
    );
  });

  it('knows no end where nothing is published', () => {
    expect(evaluateBudget([], {}, agoHours(-1), first, now)).toEqual([]);
  });
});

describe('an order', () => {
  it.each<[string, OrderFacts, LimitKind[]]>([
    ['the first', first, ['registered_domain', 'exact_set', 'failures', 'orders']],
    ['a renewal', renewal, ['exact_set', 'failures']],
    ['a replacement', replacement, ['exact_set', 'failures']],
    [
      'a replacement of what is no renewal any more',
      { isReplacement: true, isRenewal: false },
      ['exact_set', 'failures'],
    ],
  ])('counts towards the limits that it is not exempt from: %s', (_name, order, kinds) => {
    expect(production.filter(({ kind }) => isCounted(kind, order)).map(({ kind }) => kind)).toEqual(kinds);
  });
});

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';
const other = 'https://ca.test/dir';

describe('limits that a CA has granted', () => {
  it('replace the published ones of the same kind, and leave the others', () => {
    const limits = parseCaLimits(`${letsEncrypt}|orders=3000/3h|registered_domain=none, ${other}|orders=20/90m`);
    const [first, second] = configuredCas([letsEncrypt, other], limits);
    expect(first).toEqual({
      directoryUrl: letsEncrypt,
      limits: [
        { kind: 'exact_set', max: 5, windowMs: 7 * 24 * HOUR_MS },
        { kind: 'failures', max: 5, windowMs: HOUR_MS },
        { kind: 'orders', max: 3_000, windowMs: 3 * HOUR_MS },
      ],
    });
    const [orders] = second?.limits ?? [];
    const names = { name: 'docs.example.com', apexName: 'example.com' };
    expect(orders && describeLimit(orders, names)).toBe('20 new certificates of this service in 90 min');
  });

  it.each([
    ['10000000/366d', 10_000_000, 366 * 24 * HOUR_MS],
    ['1/1m', 1, 60_000],
  ])('may be %s', (value, max, windowMs) => {
    expect(parseCaLimits(`${other} | orders=${value} `).get(other)).toEqual([{ kind: 'orders', max, windowMs }]);
  });

  it.each([
    ['', 'an empty entry is not a directory URL'],
    ['ca.test', 'ca.test is not a directory URL'],
    [other, `${other} has no limits: write KIND=MAX/WINDOW or KIND=none`],
    [`${other}|orders=1/1h,${other}|orders=2/1h`, `${other} has more than one entry`],
    [`${other}|order=1/1h`, 'order is not one of registered_domain, exact_set, failures, orders'],
    [`${other}|orders=1/1h|orders=none`, 'orders is given more than once for one directory'],
    [`${other}|orders`, 'orders= is not MAX/WINDOW such as 300/3h (units m, h, d), or none'],
    [`${other}|=1/1h`, '=1/1h is not one of registered_domain, exact_set, failures, orders'],
    ...[
      '',
      '300/3hours',
      '10000001/1h',
      '300/527041m',
      '0/1h',
      '300',
      '300/3',
      '300/0h',
      '1.5/3h',
      '300/367d',
      '99999999/1h',
      'all',
    ].map((value) => [
      `${other}|orders=${value}`,
      `orders=${value} is not MAX/WINDOW such as 300/3h (units m, h, d), or none`,
    ]),
  ])('%s is refused: %s', (text, message) => expect(() => parseCaLimits(text)).toThrow(message));
});
