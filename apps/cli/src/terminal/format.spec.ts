import { expect, it } from '@jest/globals';
import { printable, table } from './format.js';

it('table aligns columns without trailing blanks', () => {
  const rows = [
    ['CNAME', 'docs', 'a.example'],
    ['TXT', '_platform-challenge.docs', ''],
  ];
  expect(table(['TYPE', 'NAME', 'VALUE'], rows)).toBe(
    [
      'TYPE   NAME                      VALUE',
      'CNAME  docs                      a.example',
      'TXT    _platform-challenge.docs',
    ].join('\n'),
  );
});

it('table is empty without rows', () => expect(table(['NAME'], [])).toBe(''));

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['two\nlines', 'two\\u000alines'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['bücher.example – ok', 'bücher.example – ok'],
])('printable shows %j as %j', (text, shown) => expect(printable(text)).toBe(shown));
