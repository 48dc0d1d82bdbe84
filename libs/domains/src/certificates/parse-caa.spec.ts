import { describe, expect, it } from '@jest/globals';
import { parseCaaIssuer, parseCaaProperty } from './parse-caa.js';

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
