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
  second,
  shop,
  slotsOf,
} from '../../test/ca-facts.js';
import { caAccountId } from './ca-accounts.js';
import { CaSelection, usageScope, type CaFacts, type OrderAccount } from './ca-selection.js';

type CurrentCertificate = CaFacts['newest'] extends ReadonlyMap<string, infer Certificate> ? Certificate : never;

const [MAIN, SECOND, BACKUP] = [main, second, backup].map(caAccountId);
const select = (changes: Partial<CaFacts> = {}) => new CaSelection(caFacts(changes));
const both = { accounts: [main, second, backup] };
const candidatesOf = (selection: CaSelection, subject = docs) =>
  new Map(selection.candidatesFor(subject).map((candidate) => [caAccountId(candidate), candidate]));
/** The limit that refuses an order at an account; null where none does. */
const refusedBy = (selection: CaSelection, subject = docs, account = main) => {
  const budget = candidatesOf(selection, subject).get(caAccountId(account))?.budget;
  return budget?.allowed === false ? budget.limit.kind : null;
};

describe('the accounts for an order', () => {
  it.each([
    ['a first order: by their shares', null, [MAIN, SECOND, BACKUP]],
    ['a renewal: first the account of the certificate', second, [SECOND, MAIN, BACKUP]],
    ['a renewal at the preferred account', main, [MAIN, SECOND, BACKUP]],
    [
      'the renewal of a certificate of an account that only takes over: by their shares',
      backup,
      [MAIN, SECOND, BACKUP],
    ],
    [
      'the renewal of a certificate of an account that is not configured any more: by their shares',
      { ...main, account: 'former' },
      [MAIN, SECOND, BACKUP],
    ],
  ])('of %s', (_name, issuer, expected) => {
    const newest = new Map(issuer === null ? [] : [[docs.domainId, issuedBy(issuer)]]);
    expect(
      select({ ...both, newest })
        .candidatesFor(docs)
        .map(caAccountId),
    ).toEqual(expected);
  });

  it('have the failures of their CA, and the refusals of the account', () => {
    const records = [
      recordAt(main, { failures: 2, refusals: 10 }),
      recordAt(second, { failures: 1, refusals: 20 }),
      recordAt(backup, { failures: 5 }),
      recordAt(main, { failures: 100, refusals: 100 }, shop),
    ];
    const candidates = candidatesOf(select({ ...both, records }));
    expect([MAIN, SECOND, BACKUP].map((id = '') => candidates.get(id)?.failures)).toEqual([13, 23, 5]);
    expect(candidatesOf(select({ records }), elsewhere).get(main.directoryUrl)?.failures).toBe(0);
  });

  it('have the latest time that their CA named for the domain', () => {
    const records = [
      recordAt(main, { retryAt: inHours(1) }),
      recordAt(main),
      recordAt(second, { retryAt: inHours(3) }),
      recordAt(second, { retryAt: inHours(2) }),
      recordAt(backup, { retryAt: inHours(9) }, shop),
    ];
    const candidates = candidatesOf(select({ ...both, records }));
    expect([MAIN, SECOND, BACKUP].map((id = '') => candidates.get(id)?.retryAt)).toEqual([
      inHours(3),
      inHours(3),
      null,
    ]);
  });

  it('have the pauses that the CA asked for: those of the account, and those of the registered domain', () => {
    const pauses: CaFacts['pauses'] = {
      ofAccount: (account) => (caAccountId(account) === SECOND ? inHours(1) : null),
      ofApex: (directoryUrl, apexName) =>
        directoryUrl === main.directoryUrl && apexName === docs.apexName ? inHours(2) : null,
    };
    const selection = select({ ...both, pauses });
    const pausesOf = (subject: typeof docs) =>
      selection
        .candidatesFor(subject)
        .map(({ accountPausedUntil, apexPausedUntil }) => [accountPausedUntil, apexPausedUntil]);
    expect(pausesOf(docs)).toEqual([
      [null, inHours(2)],
      [inHours(1), inHours(2)],
      [null, null],
    ]);
    expect(pausesOf(elsewhere)).toEqual([
      [null, null],
      [inHours(1), null],
      [null, null],
    ]);
  });
});

describe('an order', () => {
  const known = (changes: Partial<CurrentCertificate> = {}) =>
    new Map([[docs.domainId, { ...issuedBy(main), ...changes }]]);
  it.each<[string, Partial<CaFacts>, string | null]>([
    ['without a certificate replaces none', {}, null],
    ['at the account of the certificate replaces it', { newest: known() }, 'aki.serial'],
    ['at another account of the CA replaces none', { newest: known({ account: second.account }) }, null],
    ['at another CA replaces none', { newest: known({ directoryUrl: backup.directoryUrl }) }, null],
    ['does not replace a certificate that ends now', { newest: known({ notAfter: now }) }, null],
    ['does not replace a certificate without an identifier', { newest: known({ identifier: null }) }, null],
    [
      'does not replace the certificate after such an order has failed',
      { newest: known(), records: [recordAt(main), recordAt(main, { isReplacementDoubtful: true })] },
      null,
    ],
    [
      'replaces the certificate although another account of the CA, another CA or another domain has failed to',
      {
        newest: known(),
        records: [
          recordAt(second, { isReplacementDoubtful: true }),
          recordAt(backup, { isReplacementDoubtful: true }),
          recordAt(main, { isReplacementDoubtful: true }, shop),
        ],
      },
      'aki.serial',
    ],
  ])('%s', (_name, facts, replaces) => {
    expect(select(facts).orderFor(docs, main)).toEqual({
      replaces,
      isReplacement: replaces !== null,
      isRenewal: false,
    });
  });

  it('is a renewal where the CA has a certificate for the name', () => {
    const selection = select({ renewals: new Set([`${main.directoryUrl} ${docs.name}`]) });
    const isRenewal = (subject: typeof docs, account = main) => selection.orderFor(subject, account).isRenewal;
    expect([isRenewal(docs), isRenewal(shop), isRenewal(docs, backup)]).toEqual([true, false, false]);
  });

  it('goes before others when little of the lifetime of the certificate is left', () => {
    const selection = select({ newest: known({ notAfter: inHours(48) }) });
    expect([selection.rankOf(docs), selection.rankOf(shop)]).toEqual([0, 1]);
  });

  it('has the thumbprint of a named account', () => {
    expect([main, second].map((account) => select(both).thumbprintOf(account))).toEqual([null, 'T'.repeat(43)]);
    expect(select().thumbprintOf(second)).toBeNull();
  });
});

describe('the limits of an order', () => {
  const twice = [inHours(-2), inHours(-1)];
  const usageOf = (...keys: readonly string[]) => new Map(keys.map((key) => [key, twice]));

  it('count failures for each account, and everything else for the CA', () => {
    const scopes = (['registered_domain', 'exact_set', 'failures', 'orders'] as const).map((kind) =>
      usageScope(kind, second),
    );
    expect(scopes).toEqual([main.directoryUrl, main.directoryUrl, SECOND, SECOND]);
  });

  it.each<[string, string, (string | null)[]]>([
    [
      'the registered domain',
      `${main.directoryUrl} registered_domain example.com`,
      ['registered_domain', 'registered_domain', 'registered_domain', null],
    ],
    ['the name', `${main.directoryUrl} exact_set docs.example.com`, ['exact_set', null, 'exact_set', null]],
    ['failures of an account', `${SECOND} failures docs.example.com`, [null, null, 'failures', null]],
    ['another CA', `${backup.directoryUrl} exact_set docs.example.com`, [null, null, null, null]],
  ])('are reached: %s', (_name, key, expected) => {
    const selection = select({ ...both, usage: usageOf(key) });
    expect([
      refusedBy(selection, docs),
      refusedBy(selection, shop),
      refusedBy(selection, docs, second),
      refusedBy(selection, elsewhere),
    ]).toEqual(expected);
  });

  it('do not concern the renewal of the name, or the replacement of its certificate', () => {
    const usage = usageOf(
      `${main.directoryUrl} registered_domain example.com`,
      `${main.directoryUrl} exact_set docs.example.com`,
    );
    expect(refusedBy(select({ usage }))).toBe('registered_domain');
    expect(refusedBy(select({ usage, renewals: new Set([`${main.directoryUrl} ${docs.name}`]) }))).toBe('exact_set');
    expect(refusedBy(select({ usage, newest: new Map([[docs.domainId, issuedBy(main)]]) }))).toBeNull();
  });

  it('count the orders of the batch', () => {
    const usage = new Map([[`${main.directoryUrl} registered_domain example.com`, [inHours(-1)]]]);
    const selection = select({ usage });
    expect([selection.usesWith(docs, main), refusedBy(selection, shop)]).toEqual([1, null]);
    selection.reserve(docs, main);
    expect([selection.usesWith(docs, main), selection.usesWith(shop, main)]).toEqual([2, 1]);
    expect([refusedBy(selection, shop), refusedBy(selection, elsewhere)]).toEqual(['registered_domain', null]);
    selection.reserve(docs, main);
    expect(selection.usesWith(docs, main)).toBe(3);
  });

  it('count what each order of the batch is', () => {
    const renewals = new Set([`${main.directoryUrl} ${docs.name}`]);
    const selection = select({ renewals });
    for (let order = 0; order < 2; order += 1) selection.reserve(docs, main);
    expect([refusedBy(selection, shop), refusedBy(selection, docs)]).toEqual([null, 'exact_set']);
  });

  it('count no uses of a name where the CA has no such limit, or is not configured', () => {
    expect([backup, second].map((account) => select().usesWith(docs, account))).toEqual([null, null]);
  });
});

describe('a slot of the account', () => {
  const at = (slots: OrderAccount, changes: Partial<CaFacts> = {}) =>
    select({ ...both, slots: new Map([[caAccountId(main), slots]]), ...changes });
  const untilOf = (selection: CaSelection, subject = docs, account = main) => {
    const budget = candidatesOf(selection, subject).get(caAccountId(account))?.budget;
    return budget?.allowed === false ? budget.until : null;
  };
  const SOON = new Date(now.getTime() + 1_000);

  it.each<[string, OrderAccount, Date | null]>([
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

  it('is of one account', () => expect(untilOf(at(slotsOf(0)), docs, second)).toBeNull());

  it('is used by a new order of the batch', () => {
    const selection = at(slotsOf(2));
    selection.reserve(docs, main);
    expect(untilOf(selection, shop)).toBeNull();
    selection.reserve(shop, main);
    expect(untilOf(selection, elsewhere)).toEqual(inHours(1));
  });

  it.each<[string, Partial<CaFacts>]>([
    ['an order that renews', { renewals: new Set([`${main.directoryUrl} ${docs.name}`]) }],
    ['an order that replaces', { newest: new Map([[docs.domainId, issuedBy(main)]]) }],
    ['an order that has one', { inherited: new Set([`${MAIN} ${docs.domainId}`]) }],
  ])('is not used by %s', (_name, facts) => {
    const selection = at(slotsOf(1), facts);
    selection.reserve(docs, main);
    expect(untilOf(selection, elsewhere)).toBeNull();
  });

  it('comes after the orders that the batch adds to the queue', () => {
    const selection = at(slotsOf(0));
    selection.enqueue(main);
    selection.enqueue(main);
    expect(untilOf(selection, shop)).toEqual(inHours(3));
  });
});
