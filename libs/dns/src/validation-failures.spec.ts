import { describe, expect, it } from '@jest/globals';
import { ValidationFailures } from './validation-failures.js';

const [one, other] = ['192.0.2.1:53', '192.0.2.2:53'];

function start() {
  let now = 0;
  const failures = new ValidationFailures([one, other], () => now);
  const fail = (names: readonly string[], resolver = one) => names.map((name) => failures.failed(resolver, name));
  const answer = (names: readonly string[], resolver = other) => names.map((name) => failures.answered(resolver, name));
  const countOf = (resolver: string) => failures.countAlone().find((each) => each.resolver === resolver)?.count;
  return { fail, answer, countOf, later: (ms: number) => (now += ms) };
}

const names = ['docs.a.com', 'b.com', 'c.com'];

describe('a resolver whose validation fails', () => {
  it('is at fault once it fails alone for several registered domains', () => {
    const { fail, answer, countOf } = start();
    expect(fail(names)).toEqual([true, true, true]);
    answer(['www.a.com', 'b.com']);
    expect(fail(['d.com'])).toEqual([true]);
    answer(['c.com']);
    expect(countOf(one)).toBe(3);
    expect(fail(['e.com'])).toEqual([false]);
    expect(countOf(other)).toBe(0);
  });

  it('is not at fault for several names of one registered domain', () => {
    const { fail, answer, countOf } = start();
    fail(['a.com', 'b.a.com', 'c.a.com', 'd.a.com']);
    answer(['a.com']);
    expect(countOf(one)).toBe(1);
  });

  it('is right about a domain that another one refuses as well', () => {
    const { fail, answer } = start();
    fail(names);
    answer(names);
    fail(['broken.com'], other);
    expect(fail(['broken.com'])).toEqual([true]);
  });

  it('is trusted again once it answers, and after a while', () => {
    const { fail, answer, countOf, later } = start();
    fail(names);
    answer(names);
    answer(['a.com'], one);
    expect(countOf(one)).toBe(2);
    later(600_001);
    expect(countOf(one)).toBe(0);
  });

  it('keeps a bounded number of domains', () => {
    const { fail, answer, countOf } = start();
    const many = Array.from({ length: 1_200 }, (_name, i) => `d${i}.com`);
    fail(many);
    answer(many);
    expect(countOf(one)).toBe(1_000);
  });
});
