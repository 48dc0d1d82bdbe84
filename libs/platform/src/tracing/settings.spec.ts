import { describe, expect, it } from '@jest/globals';
import { tracingSetting } from './settings.js';

describe('the headers for the collector', () => {
  it.each([
    ['none', undefined, undefined],
    ['one', 'authorization=Bearer%20abc', { authorization: 'Bearer abc' }],
    ['several, with a value that has an equals sign', 'a=1, x-key=b2==', { a: '1', 'x-key': 'b2==' }],
  ])('%s are read', (_name, text, expected) => {
    expect(tracingSetting.traceHeaders().parse(text)).toEqual(expected);
  });

  it.each([
    ['without a value', 'secret-token'],
    ['with an invalid name', 'a b=secret-token'],
    ['with an invalid escape', 'a=%zz-secret-token'],
  ])('%s are refused, and the message does not contain them', (_name, text) => {
    const { error } = tracingSetting.traceHeaders().safeParse(text);
    expect(error?.message).toContain('is not a comma-separated list of name=value');
    expect(error?.message).not.toContain('secret-token');
  });
});

describe('the ratio of recorded traces', () => {
  it.each([['0.25', 0.25] as const, [undefined, undefined] as const])('%s', (text, expected) => {
    expect(tracingSetting.traceRatio().parse(text)).toBe(expected);
  });

  it('is at most 1', () => {
    expect(tracingSetting.traceRatio().safeParse('25').success).toBe(false);
  });
});
