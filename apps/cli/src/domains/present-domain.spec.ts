import { describe, expect, it } from '@jest/globals';
import { domainSchema, type RequiredRecord } from '@pets/contracts';
import { presentDomain, presentRecords } from './present-domain.js';

const style = { onStdout: (_format: unknown, text: string) => text, width: null };
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
    expect(presentRecords([alias], { ...style, width: 20 })).toContain(
      ':\nTYPE   A\nNAME   @\nVALUE  203.0.113.7\nTTL    3600\n\n',
    );
  });
});
