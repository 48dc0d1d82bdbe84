import { describe, expect, it } from '@jest/globals';
import { domainSchema, type RequiredRecord } from '@pets/contracts';
import { describeIssue } from '@pets/domains';
import { presentDomain, presentRecords } from './present-domain.js';

const style = {
  onStdout: (_format: unknown, text: string) => text,
  prose: (text: string) => text,
  time: (instant: string) => instant,
  width: null,
};
const alias: RequiredRecord = {
  type: 'ALIAS',
  name: '@',
  value: 't1.cname.pets.example',
  ttl: 3600,
  purpose: 'routing',
  alternatives: [
    { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 },
    { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
  ],
};
const proof: RequiredRecord = {
  type: 'TXT',
  name: '_platform-challenge',
  value: 'pets1',
  ttl: 3600,
  purpose: 'ownership',
};

describe('the records to create', () => {
  it('are followed by the addresses that can be created instead, and say that the TXT record is needed too', () => {
    expect(presentRecords([alias, proof], style).split('\n')).toEqual([
      'TYPE   NAME                 VALUE                  TTL   FOR',
      'ALIAS  @                    t1.cname.pets.example  3600  routing',
      'TXT    _platform-challenge  pets1                  3600  ownership',
      '',
      'At a provider without ALIAS, create all of these instead of the ALIAS, together with the TXT record:',
      'TYPE  NAME  VALUE        TTL',
      'A     @     203.0.113.7  3600',
      'AAAA  @     2001:db8::7  3600',
    ]);
  });

  it('name no TXT record where none is required, and a CNAME as the first way', () => {
    const [address] = alias.alternatives ?? [];
    const cname: RequiredRecord = { ...alias, type: 'CNAME', name: 'docs', alternatives: address && [address] };
    expect(presentRecords([cname], style)).toContain('\n\nYou can also create this record instead of the CNAME:\n');
  });

  it('end with the table where there are no addresses', () => {
    const { alternatives, ...plain } = alias;
    expect(alternatives).toHaveLength(2);
    expect(presentRecords([plain, proof], style)).not.toContain('\n\n');
  });

  it('are indented with their addresses below the title of a domain', () => {
    const example = domainSchema.parse(domainSchema.meta()?.['example']);
    const text = presentDomain({ ...example, records: [alias, proof] }, style);
    expect(text).toContain('\n  At a provider without ALIAS, create all of these instead');
    expect(text).toContain('\n  AAAA  @     2001:db8::7  3600\n');
  });

  it('become blocks with their addresses in a narrow terminal', () => {
    expect(presentRecords([alias], { ...style, width: 16 })).toContain(
      ':\nTYPE   A\nNAME   @\nVALUE  203.0.113.7\nTTL    3600\n\n',
    );
  });
});

describe('a domain with a wrong CNAME, in a terminal of 80 columns', () => {
  const example = domainSchema.parse(domainSchema.meta()?.['example']);
  const target = example.records[0]?.value ?? '';
  const observed = [53, 54].map((server) => ({
    ...{ type: 'CNAME', name: example.name, ttl: 300 },
    ...{ value: `${target}.example.com`, resolver: `192.0.2.${server}:53` },
  }));
  const mismatch = describeIssue('cname_mismatch', {
    ...{ name: example.name, expected: target, seen: `${target}.example.com` },
    hint: 'The DNS provider appended the zone example.com: enter the value with a final dot.',
  });
  const wrong = { ...example, dns: { ...example.dns, observed }, issues: [mismatch] };
  const shown = presentDomain(wrong, { ...style, width: 80 });

  it('has lines that fit, and the complete value once', () => {
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(shown.split(target)).toHaveLength(2);
  });

  it('shows what was found in the sentence, not again as a record', () => {
    expect(shown).toContain('k3vq7m2x….cname.pets.example.example.com.');
    expect(shown).not.toContain('Seen in DNS');
  });

  it('shows a record of several servers once where no sentence has it', () => {
    const text = presentDomain({ ...wrong, issues: [] }, style);
    expect(text).toMatch(/^ {2}CNAME .* {2}300 {2}192\.0\.2\.53:53, 192\.0\.2\.54:53$/m);
  });
});

describe('what a domain serves', () => {
  const example = domainSchema.parse(domainSchema.meta()?.['example']);
  const originId = 'b7d6a1f0-3f52-4c0e-9a51-7f3c2e9d4a10';

  it.each([
    [{ channel: null, originId: null }, []],
    [{ channel: 'beta', originId: null }, ['serves the channel beta']],
    [{ channel: null, originId }, ['has its own application: pets origin show --domain docs.example.com']],
    [
      { channel: 'beta', originId },
      ['has its own application: pets origin show --domain docs.example.com', 'serves the channel beta without it'],
    ],
  ])('%j', (served, lines) => {
    const shown = presentDomain({ ...example, ...served }, style).split('\n');
    expect(shown.filter((line) => /application|channel/.test(line)).map((line) => line.trim())).toEqual(lines);
  });
});
