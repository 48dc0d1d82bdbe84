import { describe, expect, it } from '@jest/globals';
import {
  addEntry,
  addValue,
  changeEntry,
  deleteEntry,
  findEntry,
  providerForms,
  publishedRecords,
  type Typed,
} from './provider-forms.js';

type Provider = keyof typeof providerForms;

const emptyZone = (provider: Provider) => ({ form: providerForms[provider], name: 'example.com', entries: [] });
const published = (provider: Provider, ...typed: Typed[]) =>
  publishedRecords(typed.reduce(addEntry, emptyZone(provider))).map(
    ({ type, name, data }) => `${name} ${type} ${data}`,
  );

describe('a record that is typed into the form of', () => {
  it.each<[Provider, string, Typed, string[]]>([
    [
      ...(['godaddy', 'has the zone added to its name'] as const),
      { Type: 'CNAME', Name: 'docs.example.com', Value: 't.example' },
      ['docs.example.com.example.com CNAME t.example.'],
    ],
    [
      ...(['cloudflare', 'keeps a complete name'] as const),
      { Type: 'CNAME', Name: 'docs.example.com', Target: 't.example', 'Proxy status': 'DNS only' },
      ['docs.example.com CNAME t.example.'],
    ],
    [
      ...(['cloudflare', 'leads through the proxy unless that is off'] as const),
      { Type: 'CNAME', Name: 'docs', Target: 't.example' },
      ['docs.example.com A 104.16.1.1', 'docs.example.com AAAA 2606:4700::6810:101'],
    ],
    [
      ...(['cloudflare', 'is flattened at the apex'] as const),
      { Type: 'CNAME', Name: '@', Target: 't.example', 'Proxy status': 'DNS only' },
      ['example.com ALIAS t.example.'],
    ],
    [
      ...(['namecheap', 'may be an ALIAS'] as const),
      { Type: 'ALIAS', Host: '@', Value: 't.example' },
      ['example.com ALIAS t.example.'],
    ],
    [
      ...(['gandi', 'has the zone added to its value'] as const),
      { Type: 'CNAME', Name: 'docs', Hostname: 't.example' },
      ['docs.example.com CNAME t.example.example.com.'],
    ],
    [
      ...(['ovh', 'keeps a value with a final dot'] as const),
      { 'Record type': 'CNAME', 'Sub-domain': 'docs', Target: 't.example.' },
      ['docs.example.com CNAME t.example.'],
    ],
    [
      ...(['route53', 'has the parts of CAA in its value'] as const),
      { 'Record type': 'CAA', 'Record name': '', Value: '0 issue "ca.test"' },
      ['example.com CAA 0 issue "ca.test"'],
    ],
    [
      ...(['gandi', 'has the parts of CAA in fields'] as const),
      { Type: 'CAA', Name: '@', Flags: '0', Tag: 'issue', Value: 'ca.test' },
      ['example.com CAA 0 issue "ca.test"'],
    ],
  ])('%s %s', (provider, _does, typed, records) => expect(published(provider, typed)).toEqual(records));

  it.each<[Provider, string, Typed[], string]>([
    ['godaddy', 'a field of another form', [{ Type: 'A', Host: '@', Value: '192.0.2.1' }], 'no field “Host”'],
    ['godaddy', 'an ALIAS', [{ Type: 'ALIAS', Name: '@', Value: 't.example' }], 'no type ALIAS'],
    ['godaddy', 'a CNAME at the apex', [{ Type: 'CNAME', Name: '@', Value: 't.example' }], 'no CNAME'],
    ['godaddy', 'no name', [{ Type: 'A', Name: '', Value: '192.0.2.1' }], 'takes no name'],
    ['ovh', 'an @', [{ 'Record type': 'A', 'Sub-domain': '@', Target: '192.0.2.1' }], 'takes no name “@”'],
    ['godaddy', 'an address of another type', [{ Type: 'AAAA', Name: '@', Value: '192.0.2.1' }], 'takes no AAAA'],
    ['godaddy', 'no value', [{ Type: 'TXT', Name: '@', Value: ' ' }], 'needs a value'],
    [
      ...(['route53', 'the value of CAA alone'] as const),
      [{ 'Record type': 'CAA', 'Record name': '', Value: 'ca.test' }],
      'takes no CAA record',
    ],
    [
      ...(['godaddy', 'a CNAME beside an address'] as const),
      [
        { Type: 'A', Name: 'docs', Value: '192.0.2.1' },
        { Type: 'CNAME', Name: 'docs', Value: 't.example' },
      ],
      'other records of docs.example.com',
    ],
    [
      ...(['route53', 'another record of a type'] as const),
      [
        { 'Record type': 'TXT', 'Record name': '', Value: 'one' },
        { 'Record type': 'TXT', 'Record name': '', Value: 'two' },
      ],
      'edit that one',
    ],
  ])('%s is refused with %s', (provider, _with, typed, problem) =>
    expect(() => published(provider, ...typed)).toThrow(problem),
  );
});

it('takes another line where values share a record', () => {
  const [one, two] = ['0 issue "one.test"', '0 issue "two.test"'].map((Value) => ({
    ...{ 'Record type': 'CAA', 'Record name': '' },
    Value,
  }));
  const zone = addEntry(emptyZone('route53'), one ?? {});
  expect(publishedRecords(addValue(zone, two ?? {}))).toHaveLength(2);
  expect(() => addValue(emptyZone('route53'), two ?? {})).toThrow('takes another line');
});

it('finds a record as the list has it, changes and deletes it', () => {
  const typed = { Type: 'CNAME', Name: 'docs.example.com', Value: 't.example' };
  const zone = addEntry(emptyZone('godaddy'), typed);
  const changed = changeEntry(zone, findEntry(zone, typed), { ...typed, Name: 'docs' });
  expect(publishedRecords(changed).map(({ name }) => name)).toEqual(['docs.example.com']);
  expect(() => findEntry(changed, typed)).toThrow('lists 0 records');
  expect(deleteEntry(changed, findEntry(changed, { ...typed, Name: 'docs' })).entries).toEqual([]);
});

it('finds one of several records by its value', () => {
  const [one, other] = ['192.0.2.1', '192.0.2.2'].map((Value) => ({ Type: 'A', Name: '@', Value }));
  const zone = [one ?? {}, other ?? {}].reduce(addEntry, emptyZone('godaddy'));
  expect(findEntry(zone, other ?? {}).data).toBe('192.0.2.2');
});
