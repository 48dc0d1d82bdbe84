import { describe, expect, it } from '@jest/globals';
import { errorCodeOf, failureText } from './failure-text.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:80'), { code: 'ECONNREFUSED' });

describe('codeOf', () => {
  it.each([
    ['a system error', refused, 'ECONNREFUSED'],
    ['an error of another realm', { code: 'ENODATA' }, 'ENODATA'],
    ['a number for a code, as a DOMException has', { code: 23 }, null],
    ['an error without a code', new Error('no'), null],
    ['nothing', null, null],
    ['no object', 'ENODATA', null],
  ])('%s', (_what, error, code) => {
    expect(errorCodeOf(error)).toBe(code);
  });
});

describe('failureText', () => {
  it.each([
    ['what the error says', refused, 'connect ECONNREFUSED 192.0.2.1:80'],
    [
      'its code where it says nothing, as errors of several addresses do',
      Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }),
      'ETIMEDOUT',
    ],
    ['its name where it has neither', new TypeError(''), 'TypeError'],
    ['the message of an error of another realm', { message: 'gone' }, 'gone'],
    ['what is no error, as it is', 'gone', 'gone'],
    ['nothing at all', null, 'null'],
  ])('%s', (_what, error, text) => {
    expect(failureText(error)).toBe(text);
  });
});
