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
import { CaSelection, type CaFacts, type CaSlots } from './ca-selection.js';

type CurrentCertificate = CaFacts['newest'] extends ReadonlyMap<string, infer Certificate> ? Certificate : never;

const MAIN = main.directoryUrl;
const BACKUP = backup.directoryUrl;
const select = (changes: Partial<CaFacts> = {}) => new CaSelection(caFacts(changes));
const candidatesOf = (selection: CaSelection, subject = docs) =>
  new Map(selection.candidatesFor(subject).map((candidate) => [candidate.directoryUrl, candidate]));
/** The limit that refuses an order at a CA; null where none does. */
const refusedBy = (selection: CaSelection, subject = docs, ca = main) => {
  const [refusal] = candidatesOf(selection, subject).get(ca.directoryUrl)?.refusals ?? [];
  return refusal?.limit.kind ?? null;
};

describe('the CAs for an order', () => {
  it.each([
    ['a first order', null],
    ['a renewal at the first CA', main],
    ['a renewal at a CA that takes over', backup],
  ])('are in the configured order: %s', (_name, issuer) => {
    const newest = new Map(issuer === null ? [] : [[docs.domainId, issuedBy(issuer)]]);
    const candidates = select({ newest }).candidatesFor(docs);
    expect(candidates.map(({ directoryUrl }) => directoryUrl)).toEqual([MAIN, BACKUP]);
  });

  it('have their failures for the domain, and the time that they named', () => {
    const records = [
      recordAt(main, { failures: 2, retryAt: inHours(1) }),
      recordAt(backup, { failures: 5 }),
      recordAt(main, { failures: 100, retryAt: inHours(9) }, shop),
    ];
    const known = (subject: typeof docs) =>
      select({ records })
        .candidatesFor(subject)
        .map(({ failures, retryAt }) => [failures, retryAt]);
    expect(known(docs)).toEqual([
      [2, inHours(1)],
      [5, null],
    ]);
    expect(known(elsewhere)).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  it('have the pauses that the CA asked for: those of our account, and those of the registered domain', () => {
    const pauses: CaFacts['pauses'] = {
      ofAccount: (directoryUrl) => (directoryUrl === BACKUP ? inHours(1) : null),
      ofApex: (directoryUrl, apexName) => (directoryUrl === MAIN && apexName === docs.apexName ? inHours(2) : null),
    };
    const selection = select({ pauses });
    const pausesOf = (subject: typeof docs) =>
      selection
        .candidatesFor(subject)
        .map(({ accountPausedUntil, apexPausedUntil }) => [accountPausedUntil, apexPausedUntil]);
    expect(pausesOf(docs)).toEqual([
      [null, inHours(2)],
      [inHours(1), null],
    ]);
    expect(pausesOf(elsewhere)).toEqual([
      [null, null],
      [inHours(1), null],
    ]);
  });
});

describe('an order', () => {
  const known = (changes: Partial<CurrentCertificate> = {}) =>
    new Map([[docs.domainId, { ...issuedBy(main), ...changes }]]);
  it.each<[string, Partial<CaFacts>, string | null]>([
    ['without a certificate replaces none', {}, null],
    ['of the account that has the certificate replaces it', { newest: known() }, 'aki.serial'],
    ['of another key replaces none', { newest: known({ accountThumbprint: 'U'.repeat(43) }) }, null],
    ['at another CA replaces none', { newest: known({ directoryUrl: BACKUP }) }, null],
    ['does not replace a certificate that ends now', { newest: known({ notAfter: now }) }, null],
    ['does not replace a certificate without an identifier', { newest: known({ identifier: null }) }, null],
    [
      'does not replace the certificate after such an order has failed',
      { newest: known(), records: [recordAt(main, { isReplacementDoubtful: true })] },
      null,
    ],
    [
      'replaces the certificate although another CA or another domain has failed to',
      {
        newest: known(),
        records: [
          recordAt(backup, { isReplacementDoubtful: true }),
          recordAt(main, { isReplacementDoubtful: true }, shop),
        ],
      },
      'aki.serial',
    ],
  ])('%s', (_name, facts, replaces) => {
    expect(select(facts).orderFor(docs, MAIN)).toEqual({
      replaces,
      isReplacement: replaces !== null,
      isRenewal: false,
    });
  });

  it('is a renewal where the CA has a certificate for the name', () => {
    const selection = select({ renewals: new Set([`${MAIN} ${docs.name}`]) });
    const isRenewal = (subject: typeof docs, directoryUrl = MAIN) =>
      selection.orderFor(subject, directoryUrl).isRenewal;
    expect([isRenewal(docs), isRenewal(shop), isRenewal(docs, BACKUP)]).toEqual([true, false, false]);
  });

  it('goes before others when little of the lifetime of the certificate is left', () => {
    const selection = select({ newest: known({ notAfter: inHours(48) }) });
    expect([selection.rankOf(docs), selection.rankOf(shop)]).toEqual([0, 1]);
  });
});

describe('the limits of an order', () => {
  const twice = [inHours(-2), inHours(-1)];
  const usageOf = (...keys: readonly string[]) => new Map(keys.map((key) => [key, twice]));

  it.each<[string, string, (string | null)[]]>([
    [
      'the registered domain',
      `${MAIN} registered_domain example.com`,
      ['registered_domain', 'registered_domain', null],
    ],
    ['the name', `${MAIN} exact_set docs.example.com`, ['exact_set', null, null]],
    ['failures of the name', `${MAIN} failures docs.example.com`, ['failures', null, null]],
    ['another CA', `${BACKUP} exact_set docs.example.com`, [null, null, null]],
  ])('are reached: %s', (_name, key, expected) => {
    const selection = select({ usage: usageOf(key) });
    expect([refusedBy(selection, docs), refusedBy(selection, shop), refusedBy(selection, elsewhere)]).toEqual(expected);
  });

  it('do not concern the renewal of the name, or the replacement of its certificate', () => {
    const usage = usageOf(`${MAIN} registered_domain example.com`, `${MAIN} exact_set docs.example.com`);
    expect(refusedBy(select({ usage }))).toBe('registered_domain');
    expect(refusedBy(select({ usage, renewals: new Set([`${MAIN} ${docs.name}`]) }))).toBe('exact_set');
    expect(refusedBy(select({ usage, newest: new Map([[docs.domainId, issuedBy(main)]]) }))).toBeNull();
  });

  it('count the orders of the batch', () => {
    const usage = new Map([[`${MAIN} registered_domain example.com`, [inHours(-1)]]]);
    const selection = select({ usage });
    expect([selection.usesWith(docs, MAIN), refusedBy(selection, shop)]).toEqual([1, null]);
    selection.reserve(docs, MAIN);
    expect([selection.usesWith(docs, MAIN), selection.usesWith(shop, MAIN)]).toEqual([2, 1]);
    expect([refusedBy(selection, shop), refusedBy(selection, elsewhere)]).toEqual(['registered_domain', null]);
    selection.reserve(docs, MAIN);
    expect(selection.usesWith(docs, MAIN)).toBe(3);
  });

  it('count orders that wait for a slot, once, and not that of the domain itself', () => {
    const usage = new Map([[`${MAIN} registered_domain example.com`, [inHours(-1)]]]);
    const admitted = new Map([[`${MAIN} example.com`, { count: 1, own: new Set([docs.domainId]) }]]);
    const selection = select({ usage, admitted });
    expect([refusedBy(selection, docs), refusedBy(selection, shop)]).toEqual([null, 'registered_domain']);
    expect(refusedBy(selection, elsewhere)).toBeNull();
    expect(selection.usesWith(shop, MAIN)).toBe(1);
    const roomier = select({ admitted });
    roomier.reserve(docs, MAIN);
    expect(refusedBy(roomier, shop)).toBeNull();
    roomier.enqueue(shop, MAIN);
    expect(refusedBy(roomier, { ...shop, domainId: 'd4', name: 'wiki.example.com' })).toBe('registered_domain');
  });

  it('count what each order of the batch is', () => {
    const renewals = new Set([`${MAIN} ${docs.name}`]);
    const selection = select({ renewals });
    for (let order = 0; order < 2; order += 1) selection.reserve(docs, MAIN);
    expect([refusedBy(selection, shop), refusedBy(selection, docs)]).toEqual([null, 'exact_set']);
  });

  it('count no uses of a name where the CA has no such limit, or is not configured', () => {
    expect([BACKUP, 'https://other.test/dir'].map((directoryUrl) => select().usesWith(docs, directoryUrl))).toEqual([
      null,
      null,
    ]);
  });
});

describe('a slot of a CA', () => {
  const at = (slots: CaSlots, changes: Partial<CaFacts> = {}) =>
    select({ slots: new Map([[MAIN, slots]]), ...changes });
  const untilOf = (selection: CaSelection, subject = docs) => {
    const [refusal] = candidatesOf(selection, subject).get(MAIN)?.refusals ?? [];
    return refusal?.until ?? null;
  };
  const SOON = new Date(now.getTime() + 1_000);

  it.each<[string, CaSlots, Date | null]>([
    ['is free', slotsOf(1), null],
    ['is refilled in an hour', slotsOf(0), inHours(1)],
    ['is refilled after those of the orders that wait', slotsOf(0, { waiting: 3 }), inHours(4)],
    ['was given to others', slotsOf(2, { given: 2 }), inHours(1)],
    ['was given to others, and one is left', slotsOf(2, { given: 1 }), null],
    ['was given to the domain', slotsOf(0, { given: 1, givenTo: new Set([docs.domainId]) }), null],
    ['is free, and others wait: when the queue is served next', slotsOf(9, { waiting: 1 }), SOON],
  ])('%s', (_name, slots, until) => expect(untilOf(at(slots))).toEqual(until));

  it('of a lost attempt goes to its successor', () => {
    const inherited = new Set([`${MAIN} ${docs.domainId}`]);
    const selection = at(slotsOf(0), { inherited });
    expect([untilOf(selection, docs), untilOf(selection, shop)]).toEqual([null, inHours(1)]);
  });

  it('is used by a new order of the batch', () => {
    const selection = at(slotsOf(2));
    selection.reserve(docs, MAIN);
    expect(untilOf(selection, shop)).toBeNull();
    selection.reserve(shop, MAIN);
    expect(untilOf(selection, elsewhere)).toEqual(inHours(1));
  });

  it.each<[string, Partial<CaFacts>]>([
    ['an order that renews', { renewals: new Set([`${MAIN} ${docs.name}`]) }],
    ['an order that replaces', { newest: new Map([[docs.domainId, issuedBy(main)]]) }],
    ['an order that has one', { inherited: new Set([`${MAIN} ${docs.domainId}`]) }],
  ])('is not used by %s', (_name, facts) => {
    const selection = at(slotsOf(1), facts);
    selection.reserve(docs, MAIN);
    expect(untilOf(selection, elsewhere)).toBeNull();
  });

  it('comes after the orders that the batch adds to the queue', () => {
    const selection = at(slotsOf(0));
    selection.enqueue(docs, MAIN);
    selection.enqueue(elsewhere, MAIN);
    expect(untilOf(selection, shop)).toEqual(inHours(3));
  });
});
