import { describe, expect, it } from '@jest/globals';
import type { Domain, DomainIssue, RequiredRecord } from '@pets/contracts';
import { exampleIssue } from './setup.example.js';
import { zoneLines, type ZoneFacts } from './zone-lines.js';

const target = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';
const cname: RequiredRecord = { type: 'CNAME', name: 'docs', value: target, ttl: 3600, purpose: 'routing' };
const alias: RequiredRecord = { ...cname, type: 'ALIAS', name: '@' };
const txt: RequiredRecord = { ...cname, type: 'TXT', name: '_platform-challenge', value: 't0', purpose: 'ownership' };
const delegation: RequiredRecord = { ...cname, name: '_acme-challenge', value: 't1.acme', purpose: 'delegation' };
const [name, apexName] = ['docs.example.com', 'example.com'];
const checkedAt = '2026-11-02T09:10:00.000Z';

const facts = (dns: Partial<Domain['dns']>, others: Partial<ZoneFacts> = {}): ZoneFacts => ({
  ...{ name, apexName, state: 'awaiting_dns', records: [cname], issues: [] },
  ownership: { required: false, state: 'not_required', record: null },
  dns: { requestedAt: null, checkedAt, nextCheckAt: null, nameServers: [], observed: [], conflicts: [], ...dns },
  ...others,
});

const seen = (type: string, at: string, value: string, resolver = '192.0.2.53') => ({
  ...{ type, name: at, value, ttl: 60, resolver },
});
const issue = (code: DomainIssue['code'], evidence: DomainIssue['evidence'] = {}, area: DomainIssue['area'] = 'dns') =>
  exampleIssue({ code, evidence, area });

const texts = (domain: ZoneFacts) =>
  zoneLines(domain).map(({ action, record, wrong }) =>
    [action, record.type, wrong?.name, record.name, wrong?.value, record.value, wrong?.proxy].filter(Boolean).join(' '),
  );

describe('the records of a zone', () => {
  it.each<[string, ZoneFacts, string[]]>([
    ['a name without records', facts({}), [`add CNAME docs ${target}`]],
    [
      'an old address',
      facts({ conflicts: [{ type: 'A', name, value: '203.0.113.7', action: 'remove' }] }),
      ['delete A docs 203.0.113.7', `add CNAME docs ${target}`],
    ],
    [
      'a wrong value',
      facts({ conflicts: [{ type: 'CNAME', name, value: 'old.example.net', action: 'change' }] }),
      [`change CNAME docs old.example.net ${target}`],
    ],
    [
      'a name that was entered twice',
      facts({}, { issues: [issue('entered_with_zone', { seen: 'docs.example.com.example.com' })] }),
      [`change CNAME docs.example.com docs ${target}`],
    ],
    [
      'a proxy',
      facts({}, { issues: [issue('proxied_by_cdn', { seen: ['104.16.1.1'] })] }),
      [`change CNAME docs ${target} Proxied`],
    ],
    [
      'a record in other case',
      facts({
        observed: [seen('CNAME', 'DOCS.example.com.', `${target}.`)],
        conflicts: [{ type: 'MX', name, value: '10 mail.example.com', action: 'remove' }],
      }),
      ['delete MX docs 10 mail.example.com', `keep CNAME docs ${target}`],
    ],
    [
      'a live name that points elsewhere',
      facts({}, { state: 'live', issues: [issue('dns_lost')] }),
      [`add CNAME docs ${target}`],
    ],
    ['a live name that is flattened', facts({}, { state: 'live' }), [`keep CNAME docs ${target}`]],
    [
      'a CNAME at the apex',
      facts(
        { conflicts: [{ type: 'CNAME', name: apexName, value: 'old.example.net', action: 'change' }] },
        { name: apexName, records: [alias, txt], issues: [issue('apex_cname')] },
      ),
      ['delete CNAME @ old.example.net', `add ALIAS @ ${target}`, 'add TXT _platform-challenge t0'],
    ],
    [
      'a CNAME to us at the apex',
      facts({}, { name: apexName, records: [alias], issues: [issue('apex_cname_to_us')] }),
      [`change ALIAS @ ${target}`],
    ],
    [
      'a near miss of the proof',
      facts(
        { observed: [seen('A', apexName, '198.51.100.7')] },
        {
          ...{ name: apexName, records: [alias, txt] },
          issues: [issue('ownership_txt_missing', { seen: ['pets=t0'], hint: 'Remove “pets=”.' }, 'ownership')],
        },
      ),
      [`keep ALIAS @ ${target}`, 'change TXT _platform-challenge pets=t0 t0'],
    ],
    [
      'a proof whose name was entered twice',
      facts(
        {},
        {
          records: [txt],
          issues: [
            issue('ownership_txt_missing', { enteredAt: '_platform-challenge.example.com.example.com' }, 'ownership'),
          ],
        },
      ),
      ['change TXT _platform-challenge.example.com _platform-challenge t0'],
    ],
    [
      'another TXT value beside the proof',
      facts({}, { records: [txt], issues: [issue('ownership_txt_missing', { seen: ['v=spf1'] }, 'ownership')] }),
      ['add TXT _platform-challenge t0'],
    ],
    [
      'a wildcard whose challenge record points elsewhere',
      facts(
        {},
        { records: [delegation], issues: [issue('delegation_missing', { seen: 'other.example' }, 'delegation')] },
      ),
      ['change CNAME _acme-challenge other.example t1.acme'],
    ],
    [
      'a hidden challenge record',
      facts(
        { observed: [seen('CNAME', '_acme-challenge.example.com', 't1.acme')] },
        {
          records: [delegation],
          issues: [issue('delegation_shadowed', { seen: ['x'], host: '_acme-challenge.example.com' }, 'delegation')],
        },
      ),
      ['delete TXT _acme-challenge x', 'keep CNAME _acme-challenge t1.acme'],
    ],
    [
      'CAA records of other authorities',
      facts(
        {},
        {
          ...{ state: 'verified', records: [cname] },
          issues: [
            issue('caa_forbids', { at: apexName, permitting: 'example.com. CAA 0 issue "ca.test"' }, 'certificate'),
          ],
        },
      ),
      [`keep CNAME docs ${target}`, 'add CAA @ ca.test'],
    ],
  ])('of %s', (_case, domain, lines) => expect(texts(domain)).toEqual(lines));

  it('have the parts of a CAA record, also of one that blocks', () => {
    const evidence = { at: apexName, permitting: 'example.com. CAA 0 issue "ca.test"', blocking: ['128 tbs "x y"'] };
    const lines = zoneLines(facts({}, { records: [], issues: [issue('caa_forbids', evidence, 'certificate')] }));
    expect(lines.map(({ action, record: { caa, value } }) => [action, caa?.flags, caa?.tag, value])).toEqual([
      ['delete', '128', 'tbs', 'x y'],
      ['add', '0', 'issue', 'ca.test'],
    ]);
  });

  it('say how many of the name servers that were asked show a record', () => {
    const observed = [seen('CNAME', name, target, '192.0.2.53:53')];
    const issues = [issue('propagating', { stale: ['192.0.2.54:53', '192.0.2.55:53'] })];
    expect(zoneLines(facts({ observed }, { issues })).map((line) => line.seen)).toEqual([{ count: 1, total: 3 }]);
  });

  it.each([
    ['no ALIAS where all of our addresses are there instead', ['203.0.113.7', '2001:db8::7'], 'keep'],
    ['the ALIAS where one of them is missing', ['203.0.113.7'], 'add'],
  ])('need %s', (_case, values, action) => {
    const alternatives: NonNullable<RequiredRecord['alternatives']> = [
      { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 },
      { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
    ];
    const observed = values.map((value) => seen(value.includes(':') ? 'AAAA' : 'A', apexName, value));
    const wrong = [issue('apex_not_pointing_here')];
    const domain = facts({ observed }, { name: apexName, records: [{ ...alias, alternatives }], issues: wrong });
    const [line] = zoneLines(domain);
    expect(line?.action).toBe(action);
    expect(line?.alternatives).toHaveLength(2);
  });
});
