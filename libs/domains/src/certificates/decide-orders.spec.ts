import { describe, expect, it } from '@jest/globals';
import {
  backup,
  caFacts,
  docs,
  elsewhere,
  inHours,
  issuedBy,
  main,
  now,
  recordAt,
  shop,
  slotsOf,
} from '../../test/ca-facts.js';
import { CaSelection, type CaFacts } from './ca-selection.js';
import { decideOrders } from './decide-orders.js';

const alone = { cas: [main] };
const decide = (changes: Partial<CaFacts>, attempts = [docs]) =>
  decideOrders(attempts, new CaSelection(caFacts(changes)), now);
const nothing = { orders: [], queued: [], parked: [], refusals: [] };
const { directoryUrl } = main;
const ordered = {
  directoryUrl,
  replaces: null,
  isReplacement: false,
  isRenewal: false,
  nameUses: 1,
};
const used = (key: string, times: readonly Date[]) => new Map([[`${directoryUrl} ${key}`, times]]);
const pausedAccount: CaFacts['pauses'] = { ofAccount: () => inHours(5), ofApex: () => null };
/** Two attempts within 100 h, and the minute that an attempt may take. */
const freed = new Date(inHours(98).getTime() + 60_000);
const issue = (detail: string, until: Date) =>
  expect.objectContaining({
    code: 'ca_rate_limited',
    message: expect.stringContaining(detail),
    evidence: expect.objectContaining({ until: until.toISOString() }),
  });

describe('an attempt', () => {
  it('becomes an order', () => {
    expect(decide({})).toEqual({ ...nothing, orders: [{ attempt: docs, ...ordered }] });
  });

  it('of a renewal replaces the certificate at its account', () => {
    const newest = new Map([[docs.domainId, issuedBy(main)]]);
    expect(decide({ newest }).orders).toEqual([
      { ...ordered, attempt: docs, replaces: 'aki.serial', isReplacement: true },
    ]);
  });

  it('becomes an order at another CA while the first wants a pause', () => {
    const pauses: CaFacts['pauses'] = {
      ...pausedAccount,
      ofAccount: (one) => (one === directoryUrl ? inHours(5) : null),
    };
    expect(decide({ pauses }).orders).toEqual([
      { ...ordered, attempt: docs, directoryUrl: backup.directoryUrl, nameUses: null },
    ]);
  });

  it.each<[string, Partial<CaFacts>]>([
    ['a slot', { slots: new Map([[directoryUrl, slotsOf(0)]]) }],
    ['the end of the pause', { pauses: pausedAccount }],
  ])('waits for %s of the CA, an urgent one before others', (_name, facts) => {
    const newest = new Map([[shop.domainId, { ...issuedBy(backup), notAfter: inHours(24) }]]);
    expect(decide({ ...alone, ...facts, newest }, [docs, shop])).toEqual({
      ...nothing,
      queued: [
        { attempt: docs, directoryUrl, rank: 1, isNew: true },
        { attempt: shop, directoryUrl, rank: 0, isNew: true },
      ],
    });
  });

  it('waits until the registered domain is below its limit', () => {
    const usage = used('registered_domain example.com', [inHours(-2), inHours(-1)]);
    expect(decide({ ...alone, usage })).toEqual({
      ...nothing,
      parked: [
        {
          ...{ attempt: docs, directoryUrl, rank: 1, isNew: true, until: freed },
          issue: issue('2 certificates for example.com and the names below it', freed),
        },
      ],
    });
  });

  it.each([
    ['a slot', 0],
    ['a slot, which it will have later', 0, 200],
  ])('waits for its registered domain first when both limits hold: %s', (_name, free, waiting = 0) => {
    const usage = used('registered_domain example.com', [inHours(-2), inHours(-1)]);
    const slots = new Map([[directoryUrl, slotsOf(free, { waiting })]]);
    expect(decide({ ...alone, usage, slots })).toEqual({
      ...nothing,
      parked: [
        {
          ...{ attempt: docs, directoryUrl, rank: 1, isNew: true, until: freed },
          issue: issue('2 certificates for example.com and the names below it', freed),
        },
      ],
    });
  });

  it('that is not prepared waits for a slot, although there is one', () => {
    const decided = decideOrders([docs, shop], new CaSelection(caFacts(alone)), now, (one) => one === shop);
    expect(decided.queued).toEqual([{ attempt: docs, directoryUrl, rank: 1, isNew: true }]);
    expect(decided.orders.map(({ attempt }) => attempt)).toEqual([shop]);
  });

  it('waits while the CA wants a pause for the registered domain', () => {
    const pauses: CaFacts['pauses'] = { ofAccount: () => null, ofApex: () => inHours(4) };
    expect(decide({ ...alone, pauses })).toEqual({
      ...nothing,
      parked: [
        {
          ...{ attempt: docs, directoryUrl, rank: 1, isNew: true, until: inHours(4) },
          issue: issue('main.test asks for a pause', inHours(4)),
        },
      ],
    });
  });

  it.each<[string, Partial<CaFacts>, string, Date]>([
    [
      'the name has reached its limit',
      { usage: used('exact_set docs.example.com', [inHours(-2), inHours(-1)]) },
      '2 certificates for docs.example.com in',
      freed,
    ],
    [
      'the CA wants a pause for the name',
      { records: [recordAt(main, { retryAt: inHours(3) })] },
      'main.test asks for a pause',
      inHours(3),
    ],
    [
      'both, and the pause ends last',
      {
        usage: used('exact_set docs.example.com', [inHours(-2), inHours(-1)]),
        records: [recordAt(main, { retryAt: inHours(99) })],
      },
      'main.test asks for a pause',
      inHours(99),
    ],
    [
      'both, and the limit ends last',
      {
        usage: used('exact_set docs.example.com', [inHours(-2), inHours(-1)]),
        records: [recordAt(main, { retryAt: inHours(97) })],
      },
      '2 certificates for docs.example.com in',
      freed,
    ],
  ])('is refused: %s', (_name, facts, detail, until) => {
    expect(decide({ ...alone, ...facts })).toEqual({
      ...nothing,
      refusals: [{ attempt: docs, until, issue: issue(detail, until) }],
    });
  });
});

describe('a batch of attempts', () => {
  it('uses each slot once, and later attempts wait behind earlier ones', () => {
    const { orders, queued } = decide({ ...alone, slots: new Map([[directoryUrl, slotsOf(1)]]) }, [
      docs,
      shop,
      elsewhere,
    ]);
    expect(orders.map(({ attempt }) => attempt)).toEqual([docs]);
    expect(queued.map(({ attempt }) => attempt)).toEqual([shop, elsewhere]);
  });

  it('goes to another CA once the slots are used', () => {
    const slots = new Map([[directoryUrl, slotsOf(1)]]);
    const { orders } = decide({ slots }, [docs, shop]);
    expect(orders.map(({ attempt, directoryUrl: ca }) => [attempt, ca])).toEqual([
      [docs, directoryUrl],
      [shop, backup.directoryUrl],
    ]);
  });

  it('divides the queue among CAs by the time at which each has a slot', () => {
    const limited = { ...backup, limits: main.limits };
    const slots = new Map([
      [directoryUrl, slotsOf(0)],
      [limited.directoryUrl, slotsOf(0, { waiting: 1 })],
    ]);
    const third = { ...elsewhere, domainId: 'd4', name: 'shop.example.net' };
    const { queued } = decide({ cas: [main, limited], slots }, [docs, shop, elsewhere, third]);
    expect(queued.map((one) => one.directoryUrl)).toEqual([main, main, limited, main].map((ca) => ca.directoryUrl));
  });

  it('keeps to the limit of a registered domain', () => {
    const usage = used('registered_domain example.com', [inHours(-2)]);
    const { orders, parked } = decide({ ...alone, usage }, [docs, shop, elsewhere]);
    expect(orders.map(({ attempt }) => attempt)).toEqual([docs, elsewhere]);
    expect(parked.map(({ attempt, until }) => [attempt, until])).toEqual([[shop, freed]]);
  });

  it('keeps to the limit of a registered domain with orders that wait for a slot', () => {
    const usage = used('registered_domain example.com', [inHours(-2)]);
    const slots = new Map([[directoryUrl, slotsOf(0)]]);
    const { queued, parked } = decide({ ...alone, usage, slots }, [docs, shop, elsewhere]);
    expect(queued.map(({ attempt }) => attempt)).toEqual([docs, elsewhere]);
    expect(parked.map(({ attempt }) => attempt)).toEqual([shop]);
  });

  it('counts the uses of a name', () => {
    expect(decide({}, [docs, docs, docs]).orders.map(({ nameUses }) => nameUses)).toEqual([1, 2, null]);
  });
});
