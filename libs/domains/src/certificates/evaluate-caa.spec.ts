import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { climb, name, ours, policy, set } from '../../test/caa-lookups.js';
import { evaluateCaa, parseCaaIssuer, parseCaaProperty } from './evaluate-caa.js';

const failed: DnsAnswer = { kind: 'failed', error: 'ESERVFAIL' };
const against = { 'example.com': set('0 issue "other.example"') };

describe('evaluateCaa', () => {
  it.each<[string, Record<string, DnsAnswer>, string]>([
    ['no record anywhere', {}, 'permits'],
    ['our CA at the name', { [name]: set('0 issue "ca.example"') }, 'permits'],
    ['our CA by its other identity, in other case', { [name]: set('0 ISSUE "CA2.example"') }, 'permits'],
    ['our CA at the apex', { 'example.com': set('0 issue "ca.example"') }, 'permits'],
    ['another CA at the apex', { 'example.com': set('0 issue "other.example"') }, 'forbids'],
    [
      'the closest set decides, for us',
      { [name]: set('0 issue "ca.example"'), 'example.com': set('0 issue "other.example"') },
      'permits',
    ],
    [
      'the closest set decides, against us',
      { [name]: set('0 issue "other.example"'), 'example.com': set('0 issue "ca.example"') },
      'forbids',
    ],
    ['one of several issuers', { [name]: set('0 issue "other.example"', '0 issue "ca.example"') }, 'permits'],
    ['no CA may issue', { [name]: set('0 issue ";"') }, 'forbids'],
    ['an empty issuer', { [name]: set('0 issue ""') }, 'forbids'],
    ['only iodef', { [name]: set('0 iodef "mailto:a@example.com"') }, 'permits'],
    ['issuewild says nothing about a plain name', { [name]: set('0 issuewild ";"') }, 'permits'],
    ['an unknown tag', { [name]: set('0 tbs "x"') }, 'permits'],
    ['an unknown critical tag', { [name]: set('128 tbs "x"', '0 issue "ca.example"') }, 'forbids'],
    ['an unknown tag with flag 1', { [name]: set('1 tbs "x"') }, 'forbids'],
    ['a critical issue is known', { [name]: set('128 issue "ca.example"') }, 'permits'],
    ['a malformed record', { [name]: set('garbage') }, 'forbids'],
    ['a record with something before its flags', { [name]: set('x0 issue "ca.example"') }, 'forbids'],
    ['more space than is needed', { [name]: set('0  issue  "ca.example"') }, 'permits'],
    ['a value without quotes', { [name]: set('0 issue ca.example') }, 'permits'],
    ['a critical iodef is known', { [name]: set('128 iodef "mailto:a@example.com"') }, 'permits'],
    ['a critical issuemail is known', { [name]: set('128 issuemail ";"') }, 'permits'],
    ['a critical issuevmc is known', { [name]: set('128 issuevmc ";"') }, 'permits'],
    ['our account', { [name]: set('0 issue "ca.example; accounturi=https://ca.example/acct/1"') }, 'permits'],
    ['another account', { [name]: set('0 issue "ca.example; accounturi=https://ca.example/acct/2"') }, 'forbids'],
    ['http-01 among the methods', { [name]: set('0 issue "ca.example; validationmethods=dns-01,http-01"') }, 'permits'],
    ['only dns-01', { [name]: set('0 issue "ca.example; validationmethods=dns-01"') }, 'forbids'],
    [
      'methods in a list with spaces',
      { [name]: set('0 issue "ca.example; validationmethods=dns-01, http-01"') },
      'forbids',
    ],
    [
      'a list of methods that begins with a comma',
      { [name]: set('0 issue "ca.example; validationmethods=,http-01"') },
      'forbids',
    ],
    [
      'a list of methods that ends with one',
      { [name]: set('0 issue "ca.example; validationmethods=http-01,"') },
      'forbids',
    ],
    ['an empty list of methods', { [name]: set('0 issue "ca.example; validationmethods="') }, 'forbids'],
    [
      'account and method together',
      { [name]: set('0 issue "ca.example; accounturi=https://ca.example/acct/1; validationmethods=http-01"') },
      'permits',
    ],
    [
      'our account and another one in the same record',
      {
        [name]: set('0 issue "ca.example; accounturi=https://ca.example/acct/1; accounturi=https://ca.example/acct/2"'),
      },
      'forbids',
    ],
    [
      'our account twice in the same record',
      {
        [name]: set('0 issue "ca.example; accounturi=https://ca.example/acct/1; accounturi=https://ca.example/acct/1"'),
      },
      'forbids',
    ],
    [
      'our account in one of two records',
      {
        [name]: set(
          '0 issue "ca.example; accounturi=https://ca.example/acct/2"',
          '0 issue "ca.example; accounturi=https://ca.example/acct/1"',
        ),
      },
      'permits',
    ],
    [
      'methods given twice',
      { [name]: set('0 issue "ca.example; validationmethods=http-01; validationmethods=http-01"') },
      'forbids',
    ],
    ['an unknown parameter', { [name]: set('0 issue "ca.example; policy=ev"') }, 'permits'],
    ['a parameter of one letter', { [name]: set('0 issue "ca.example; p=1"') }, 'permits'],
    ['a parameter with a space in its value', { [name]: set('0 issue "ca.example; policy=e v"') }, 'forbids'],
    ['a last semicolon', { [name]: set('0 issue "ca.example;"') }, 'permits'],
    ['semicolons with nothing between', { [name]: set('0 issue "ca.example;;"') }, 'forbids'],
    ['space around everything', { [name]: set('0 issue "  ca.example ; validationmethods = http-01  "') }, 'permits'],
    ['a tag of parameter that begins with a hyphen', { [name]: set('0 issue "ca.example; -x=1"') }, 'forbids'],
    ['a tag of parameter with a hyphen', { [name]: set('0 issue "ca.example; a-b=c"') }, 'forbids'],
    [
      'such a tag beside a record without',
      { [name]: set('0 issue "ca.example; a-b=c"', '0 issue "ca.example"') },
      'permits',
    ],
    ['a last semicolon after a parameter', { [name]: set('0 issue "ca.example; p=1;"') }, 'forbids'],
    ['tabs around everything', { [name]: set('0 issue "\\009ca.example\\009;\\009p\\009=\\0091\\009"') }, 'permits'],
    ['a tab within a value', { [name]: set('0 issue "ca.example; p=1\\0092"') }, 'forbids'],
    ['a line feed, which is no white space here', { [name]: set('0 issue "ca.example\\010"') }, 'forbids'],
    ['a tag that no CA knows, of other characters', { [name]: set('0 a-b "x"') }, 'permits'],
    ['the same, and critical', { [name]: set('128 a-b "x"') }, 'forbids'],
    ['every bit but the critical ones', { [name]: set('126 tbs "x"') }, 'permits'],
    ['an issuer that only begins like ours', { [name]: set('0 issue "ca.example.evil"') }, 'forbids'],
    ['a subdomain of ours as issuer', { [name]: set('0 issue "sub.ca.example"') }, 'forbids'],
    ['a critical issuewild is known', { [name]: set('128 issuewild ";"') }, 'permits'],
    ['a critical contact tag, which CAs need not know', { [name]: set('128 contactemail "a@example.com"') }, 'forbids'],
    ['an empty set at the name, one at the parent', { 'docs.example.com': set('0 issue "other.example"') }, 'forbids'],
    ['a set at the top-level domain', { com: set('0 issue "other.example"') }, 'forbids'],
    ['malformed parameters', { [name]: set('0 issue "ca.example; what"') }, 'forbids'],
    ['a failed lookup is never a yes', { [name]: failed }, 'unknown'],
    [
      'a failed lookup below the closest set',
      { 'docs.example.com': failed, 'example.com': set('0 issue "ca.example"') },
      'unknown',
    ],
    [
      'a failed lookup below a set that forbids us',
      { 'docs.example.com': failed, 'example.com': set('0 issue "other.example"') },
      'unknown',
    ],
    [
      'a failed lookup above the closest set',
      { [name]: set('0 issue "ca.example"'), 'example.com': failed },
      'permits',
    ],
  ])('%s', (_name, answers, kind) => {
    expect(evaluateCaa(climb(answers), name, policy).kind).toBe(kind);
  });

  it('states the record that would permit issuance, at the name where it belongs', () => {
    expect(evaluateCaa(climb({ 'example.com': set('0 issue "other.example"') }), name, policy)).toEqual({
      kind: 'forbids',
      at: 'example.com',
      records: ['0 issue "other.example"'],
      permitting: 'example.com. CAA 0 issue "ca.example"',
    });
  });

  it('states the records to remove if adding a record is not enough', () => {
    const records = ['128 tbs "x"', '0 issue "ca.example"'];
    expect(evaluateCaa(climb({ [name]: set(...records) }), name, policy)).toMatchObject({ blocking: ['128 tbs "x"'] });
  });

  it('states the record of a plain CA if there is only a record to remove', () => {
    expect(evaluateCaa(climb({ [name]: set('128 tbs "x"') }), name, policy)).toMatchObject({
      permitting: `${name}. CAA 0 issue "ca.example"`,
    });
  });

  it('states the target of an alias as the place of the record', () => {
    const lookups = climb({ [name]: set('0 issue "other.example"') }).map((lookup) =>
      lookup.name === name ? { ...lookup, alias: 'hop.example.net' } : lookup,
    );
    expect(evaluateCaa(lookups, name, policy)).toMatchObject({
      at: 'hop.example.net',
      permitting: 'hop.example.net. CAA 0 issue "ca.example"',
    });
  });

  it('is unknown if the CA publishes no name of its own', () => {
    const unnamed = { identities: [], accountUrl: null };
    expect(evaluateCaa(climb({}), name, unnamed).kind).toBe('permits');
    expect(evaluateCaa(climb({ [name]: set('0 issue "ca.example"') }), name, unnamed).kind).toBe('unknown');
  });

  describe('considers the zone’s own servers', () => {
    const own = (answer: DnsAnswer, server = 'ns1'): DnsLookup => ({
      name,
      type: 'CAA',
      server,
      isAuthoritative: true,
      answer,
    });
    const forbidding = set('0 issue "other.example"');
    it.each<[string, DnsLookup[], string]>([
      ['rather than a stale resolver', [...climb({ [name]: forbidding }), own({ kind: 'absent' })], 'permits'],
      ['though a resolver has nothing yet', [...climb({}), own(forbidding)], 'forbids'],
      ['all of them', [...climb({}), own({ kind: 'absent' }), own(forbidding, 'ns2')], 'forbids'],
      ['but not one that failed', [...climb({}), own(failed), own({ kind: 'absent' }, 'ns2')], 'permits'],
      ['or the resolvers, when all of them failed', [...climb({ [name]: forbidding }), own(failed)], 'forbids'],
      ['alone, where no resolver was asked', [own(set('0 issue "ca.example"'))], 'permits'],
      ['or the resolvers, which have nothing', [...climb({}), own(failed)], 'permits'],
      ['and is unknown when validation fails', [...climb({ [name]: failed }), own({ kind: 'absent' })], 'unknown'],
    ])('%s', (_name, lookups, kind) => expect(evaluateCaa(lookups, name, policy).kind).toBe(kind));
  });

  it.each<[string, Record<string, DnsAnswer>, Record<string, DnsAnswer>, string]>([
    ['one of them fails', {}, { [name]: failed }, 'unknown'],
    ['one of them permits and the other fails', { [name]: ours }, { [name]: failed }, 'unknown'],
    ['one of them permits and the other forbids', { [name]: ours }, { [name]: set('0 issue ";"') }, 'forbids'],
    ['one of them has nothing yet: the parent counts as well', against, { ...against, [name]: ours }, 'forbids'],
  ])('evaluates two resolvers, of which %s', (_name, one, other, kind) => {
    expect(evaluateCaa([...climb(one, '1'), ...climb(other, '2')], name, policy).kind).toBe(kind);
  });

  it('ignores answers to other questions', () => {
    expect(evaluateCaa([...climb({}), { name, type: 'A', server: '1', answer: failed }], name, policy).kind).toBe(
      'permits',
    );
  });

  describe('of a set that is too large to be read', () => {
    const large: DnsAnswer = { kind: 'failed', error: '150 records of 9750 bytes', reason: 'too_large' };
    const unknown = { kind: 'unknown', at: name, error: large.error, failures: [], reason: 'too_large' };
    const own = (answer: DnsAnswer): DnsLookup => ({ name, type: 'CAA', server: 'ns1', isAuthoritative: true, answer });
    it.each<[string, DnsLookup[]]>([
      ['at the resolvers', climb({ [name]: large })],
      ['at one of two', [...climb({ [name]: large }), ...climb({ [name]: ours }, '2')]],
      ['at one of the zone’s own servers', [...climb({}), own(large), { ...own(ours), server: 'ns2' }]],
      ['though a parent permits', climb({ [name]: large, 'example.com': ours })],
    ])('is unknown: %s', (_title, lookups) => expect(evaluateCaa(lookups, name, policy)).toEqual(unknown));

    it('does not ask about one above the set that decides', () => {
      expect(evaluateCaa(climb({ [name]: ours, 'example.com': large }), name, policy).kind).toBe('permits');
    });
  });

  it.each<[string, DnsLookup[], string[], string, string[] | undefined]>([
    ['was not looked up', climb({}).slice(1), ['ca.example'], 'CAA was not looked up', []],
    [
      'failed',
      [...climb({ [name]: failed }), ...climb({ [name]: failed }, '2')],
      ['ca.example'],
      'ESERVFAIL, ESERVFAIL',
      ['1: ESERVFAIL', '2: ESERVFAIL'],
    ],
    [
      'failed at its own servers as well',
      [...climb({ [name]: failed }), { ...climb({ [name]: failed }, 'ns1')[0], isAuthoritative: true }] as DnsLookup[],
      ['ca.example'],
      'ESERVFAIL',
      ['ns1: ESERVFAIL', '1: ESERVFAIL'],
    ],
    [
      'one resolver could not read',
      [...climb({ [name]: failed }), ...climb({}, '2')],
      ['ca.example'],
      'ESERVFAIL',
      ['1: ESERVFAIL'],
    ],
    ['a CA publishes no name for', climb({ [name]: ours }), [], 'the CA does not publish its name for CAA records', []],
  ])('is unknown, with the reason, for a set that %s', (_name, lookups, identities, error, failures) => {
    const unknown = { kind: 'unknown', at: name, error, failures };
    expect(evaluateCaa(lookups, name, { ...policy, identities })).toEqual(unknown);
  });

  it('takes the strictest of several servers', () => {
    const lookups = [...climb({}, '1'), ...climb({ [name]: set('0 issue ";"') }, '2')];
    expect(evaluateCaa(lookups, name, policy).kind).toBe('forbids');
  });

  it.each([[[]], [climb({}).slice(1)]])('is unknown when a name was not looked up', (lookups) => {
    expect(evaluateCaa(lookups, name, policy).kind).toBe('unknown');
  });
});

describe('validationmethods', () => {
  it.each([
    ['dns-01', 'dns-01', 'permits'],
    ['dns-01', 'http-01', 'forbids'],
    ['http-01', 'dns-01', 'forbids'],
    ['http-01,dns-01', 'dns-01', 'permits'],
  ] as const)('%s for %s: %s', (methods, method, kind) => {
    const answer = set(`0 issue "ca.example; validationmethods=${methods}"`);
    const lookups = [{ name: 'example.com', type: 'CAA' as const, server: '1', answer }];
    const own = { identities: ['ca.example'], accountUrl: null, method };
    expect(evaluateCaa(lookups, 'example.com', own).kind).toBe(kind);
  });
});

describe('parseCaaProperty', () => {
  it.each<[string, string, [number, string, string]]>([
    ['a record as it is shown', '0 issue "ca.example"', [0, 'issue', 'ca.example']],
    ['a tag in any case', '128 IoDef "mailto:a@example.com"', [128, 'iodef', 'mailto:a@example.com']],
    ['flags that nobody knows', '126 x1 ""', [126, 'x1', '']],
    ['a tab as it is written down', '0 issue "\\009ca.example\\009;"', [0, 'issue', '\tca.example\t;']],
    ['a quotation mark and a backslash', '0 issue "a\\034b\\092c\\"d\\\\e"', [0, 'issue', 'a"b\\c"d\\e']],
    ['a tag that is no tag', '0 a-b\\032c "x"', [0, 'a-b\\032c', 'x']],
    ['the highest flags', '255 x "y"', [255, 'x', 'y']],
    ['a quotation mark at the beginning alone', '0 issue "ca.example', [0, 'issue', 'ca.example']],
    ['a quotation mark at the end alone', '0 issue ca.example"', [0, 'issue', 'ca.example"']],
    ['white space and no quotation marks', '0\tissue  ca.example', [0, 'issue', 'ca.example']],
  ])('reads %s', (_title, record, [flags, tag, value]) => {
    expect(parseCaaProperty(record)).toEqual({ flags, tag, value });
  });

  it.each(['', 'garbage', '0 issue', '256 issue "x"', 'x0 issue "x"', '-1 issue "x"'])('refuses %j', (record) => {
    expect(parseCaaProperty(record)).toBeNull();
  });
});

const tags = (...pairs: [string, string][]) => pairs.map(([tag, value]) => ({ tag, value }));

describe('parseCaaIssuer, as the CAs read it', () => {
  it.each<[string, string, ReturnType<typeof tags>]>([
    ['', '', []],
    [';', '', []],
    ['\t ;\t ', '', []],
    ['ca.example', 'ca.example', []],
    ['ca.example;', 'ca.example', []],
    ['ca.example; \t', 'ca.example', []],
    ['\tca.example \t', 'ca.example', []],
    [' \tca.example\t;a=1;B2=3', 'ca.example', tags(['a', '1'], ['b2', '3'])],
    ['ca.example; a=\t; b =\t1\t', 'ca.example', tags(['a', ''], ['b', '1'])],
    ['ca.example;\ta\t=\tx=y,z\t', 'ca.example', tags(['a', 'x=y,z'])],
    ['ca.example; a=1; a=1', 'ca.example', tags(['a', '1'], ['a', '1'])],
    ['ca.example; 1=a-b_c', 'ca.example', tags(['1', 'a-b_c'])],
  ])('%j', (value, domain, parameters) => expect(parseCaaIssuer(value)).toEqual({ domain, parameters }));

  it.each([
    'ca.example; a-b=c',
    'ca.example; 1=2; a-b=c',
    'ca.example; a_b=c',
    'ca.example; a b=c',
    'ca.example; =c',
    'ca.example; a',
    'ca.example;;',
    'ca.example; a=1;',
    'ca.example; a=1; ',
    'ca.example;; a=1',
    'ca.example; a=1 2',
    'ca.example; a=1\t2',
    'ca.example; a= b = c',
    'ca.example; a=1\n',
    'ca.example; \u00a0a=1',
    'ca.example; a=\u00fc',
    'ca.example; a=\u0000',
    'ca.example; a=1 b=2',
  ])('%j is malformed', (value) => expect(parseCaaIssuer(value)).toBeNull());
});
