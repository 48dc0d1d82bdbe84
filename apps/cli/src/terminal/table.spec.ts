import { expect, it } from '@jest/globals';
import { printable } from './printable.js';
import { table } from './table.js';

it('aligns columns and leaves no blanks at the end', () => {
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

it('shows nothing of no rows', () => expect(table(['NAME'], [])).toBe(''));

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['two\nlines', 'two\\u000alines'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['bücher.example – ok', 'bücher.example – ok'],
])('shows %j as %j', (text, shown) => expect(printable(text)).toBe(shown));
