import { expect, it } from '@jest/globals';
import { readArguments, UsageError } from './suites.js';

it.each<[string, object]>([
  ['', {}],
  ['api', { suite: 'api' }],
  ['engine --against 85ab1eb', { suite: 'engine', against: '85ab1eb' }],
  ['--against HEAD~1 edge', { suite: 'edge', against: 'HEAD~1' }],
  ['quick', { suite: 'quick' }],
  ['quick --record reason', { suite: 'quick', record: 'reason' }],
])('understands "%s"', (line, expected) => expect(readArguments(words(line))).toEqual(expected));

it.each([
  'nonsense',
  'toString',
  'api edge',
  '--against HEAD',
  'quick --against HEAD',
  'api --record reason',
  '--fast',
])('refuses "%s" and says what there is', (line) => {
  expect(() => readArguments(words(line))).toThrow(UsageError);
  expect(() => readArguments(words(line))).toThrow('suites: api, engine');
});

it('refuses a record without a reason', () => {
  expect(() => readArguments(['quick', '--record', ' '])).toThrow(UsageError);
});

function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}
