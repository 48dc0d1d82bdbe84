import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { shellWord } from './shell-word.js';

it.each(['docs.example.com', '*.example.com', "O'Neil", 'two words', '$HOME `id` "x"', '', 'ünïcode', '~', '#1'])(
  'a shell reads %p as one argument, unchanged',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);
