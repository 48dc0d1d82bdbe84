import { describe, expect, it } from '@jest/globals';
import { parseCaLimits } from './ca-limits-setting.js';
import { configuredCas, describeLimit } from './ca-limits.js';

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';
const other = 'https://ca.test/dir';
const HOUR_MS = 3_600_000;

describe('limits that a CA has granted', () => {
  it('replace the published ones of the same kind, and leave the others', () => {
    const limits = parseCaLimits(`${letsEncrypt}|orders=3000/3h|registered_domain=none, ${other}|orders=20/90m`);
    const [first, second] = configuredCas([letsEncrypt, other], limits);
    expect(first).toEqual({
      directoryUrl: letsEncrypt,
      limits: [
        { kind: 'exact_set', max: 5, windowMs: 7 * 24 * HOUR_MS },
        { kind: 'failures', max: 5, windowMs: HOUR_MS },
        { kind: 'orders', max: 3_000, windowMs: 3 * HOUR_MS },
      ],
    });
    const [orders] = second?.limits ?? [];
    const names = { name: 'docs.example.com', apexName: 'example.com' };
    expect(orders && describeLimit(orders, names)).toBe('20 new certificates of this service in 90 min');
  });

  it.each([
    ['10000000/366d', 10_000_000, 366 * 24 * HOUR_MS],
    ['1/1m', 1, 60_000],
  ])('may be %s', (value, max, windowMs) => {
    expect(parseCaLimits(`${other} | orders=${value} `).get(other)).toEqual([{ kind: 'orders', max, windowMs }]);
  });

  it.each([
    ['', 'an empty entry is not a directory URL'],
    ['ca.test', 'ca.test is not a directory URL'],
    [other, `${other} has no limits: write KIND=MAX/WINDOW or KIND=none`],
    [`${other}|orders=1/1h,${other}|orders=2/1h`, `${other} has more than one entry`],
    [`${other}|order=1/1h`, 'order is not one of registered_domain, exact_set, failures, orders'],
    [`${other}|orders=1/1h|orders=none`, 'orders is given more than once for one directory'],
    [`${other}|orders`, 'orders= is not MAX/WINDOW such as 300/3h (units m, h, d), or none'],
    [`${other}|=1/1h`, '=1/1h is not one of registered_domain, exact_set, failures, orders'],
    ...[
      '',
      '300/3hours',
      '10000001/1h',
      '300/527041m',
      '0/1h',
      '300',
      '300/3',
      '300/0h',
      '1.5/3h',
      '300/367d',
      '99999999/1h',
      'all',
    ].map((value) => [
      `${other}|orders=${value}`,
      `orders=${value} is not MAX/WINDOW such as 300/3h (units m, h, d), or none`,
    ]),
  ])('%s is refused: %s', (text, message) => expect(() => parseCaLimits(text)).toThrow(message));
});
