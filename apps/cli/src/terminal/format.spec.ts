import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { printable, shellWord } from './format.js';

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['two\nlines', 'two\\u000alines'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['bücher.example – ok', 'bücher.example – ok'],
])('printable shows %j as %j', (text, shown) => expect(printable(text)).toBe(shown));

it.each(['docs.example.com', '*.example.com', "O'Neil", 'two words', '$HOME `id` "x"', '', 'ünïcode', '~', '#1'])(
  'a shell reads %p as one argument, unchanged',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);
