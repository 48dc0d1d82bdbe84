import { expect, it } from '@jest/globals';
import { printable } from './format.js';

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['two\nlines', 'two\\u000alines'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['bücher.example – ok', 'bücher.example – ok'],
])('printable shows %j as %j', (text, shown) => expect(printable(text)).toBe(shown));
