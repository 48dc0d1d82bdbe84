import { describe, expect, it } from '@jest/globals';
import { parseCaAccounts } from './ca-accounts-setting.js';
import { caAccountId, caAccounts, rankAccounts } from './ca-accounts.js';
import { parseCaLimits } from './ca-limits-setting.js';

const ca = 'https://ca.test/dir';
const other = 'https://other.test/dir';
const limits = parseCaLimits(`${ca}|orders=300/3h|exact_set=5/7d`);
const sharesOf = (settings?: string) =>
  caAccounts([ca, other], settings === undefined ? [] : parseCaAccounts(settings), limits).map((account) => [
    caAccountId(account),
    account.share,
  ]);

describe('the accounts', () => {
  it.each([
    [
      undefined,
      [
        [ca, 1],
        [other, 0],
      ],
    ],
    [
      `b|${ca}`,
      [
        [ca, 1],
        [`${ca}#b`, 1],
        [other, 0],
      ],
    ],
    [
      `b|${ca}|share=3,default|${ca}|share=2,default|${other}|share=5`,
      [
        [ca, 2],
        [`${ca}#b`, 3],
        [other, 5],
      ],
    ],
    [
      `b|${ca}|share=0,b|${other}`,
      [
        [ca, 1],
        [`${ca}#b`, 0],
        [other, 0],
        [`${other}#b`, 1],
      ],
    ],
  ])('%s', (settings, expected) => expect(sharesOf(settings)).toEqual(expected));

  it('have the limits of the CA, and their own', () => {
    const [first, second] = caAccounts([ca], parseCaAccounts(`b|${ca}|orders=3000/3h`), limits);
    expect(first?.limits.map(({ kind, max }) => [kind, max])).toEqual([
      ['exact_set', 5],
      ['orders', 300],
    ]);
    expect(second?.limits.map(({ kind, max }) => [kind, max])).toEqual([
      ['exact_set', 5],
      ['orders', 3_000],
    ]);
  });

  it.each([
    ['B|https://ca.test/dir', 'B is not a name of a-z, 0-9 and -'],
    ['b|ca', 'b: ca is not a directory URL'],
    ['b', 'b: nothing is not a directory URL'],
    ['b|https://ca.test/dir|share', 'b: share= is not a number from 0 to 1000'],
    ['b|https://ca.test/dir|share=00001', 'b: share=00001 is not a number from 0 to 1000'],
    ['b|https://ca.test/dir|share=1x', 'b: share=1x is not a number from 0 to 1000'],
    ['b|https://ca.test/dir|=1', 'b: =1 is not one of share, orders, failures'],
    ['b|https://ca.test/dir|share=-1', 'b: share=-1 is not a number from 0 to 1000'],
    ['b|https://ca.test/dir|share=1001', 'b: share=1001 is not a number from 0 to 1000'],
    ['b|https://ca.test/dir|share=1|share=2', 'b: share is given more than once'],
    ['b|https://ca.test/dir|exact_set=1/1d', 'b: exact_set is not one of share, orders, failures'],
    ['b|https://ca.test/dir|orders=none', 'orders=none is not MAX/WINDOW such as 300/3h (units m, h, d), or none'],
    ['b|https://ca.test/dir,b|https://ca.test/dir', 'b|https://ca.test/dir has more than one entry'],
    ['', 'an empty entry is not a name of a-z, 0-9 and -'],
  ])('are not %s', (text, message) => expect(() => parseCaAccounts(text)).toThrow(message));
});

describe('the setting of accounts', () => {
  it('may have spaces, and shares to a thousand', () => {
    expect(parseCaAccounts(`b | ${ca} | share=1000 , c | ${ca} | share=10`)).toEqual([
      { account: 'b', directoryUrl: ca, share: 1_000, limits: [] },
      { account: 'c', directoryUrl: ca, share: 10, limits: [] },
    ]);
  });

  it('has at most a hundred entries', () => {
    const entries = (count: number) => Array.from({ length: count }, (_, index) => `a${index}|${ca}`).join(',');
    expect(parseCaAccounts(entries(100))).toHaveLength(100);
    expect(() => parseCaAccounts(entries(101))).toThrow('there are more than 100 entries');
  });
});

describe('the preferred account of a domain', () => {
  const accounts = caAccounts([ca, other], parseCaAccounts(`b|${ca}|share=3`), new Map());
  const ids = Array.from({ length: 4_000 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);
  const firstOf = (id: string, of = accounts) => rankAccounts(of, id).map(caAccountId)[0];

  it('is each one for as many domains as its share says', () => {
    const ofB = ids.filter((id) => firstOf(id) === `${ca}#b`).length;
    expect(ofB / ids.length).toBeGreaterThan(0.72);
    expect(ofB / ids.length).toBeLessThan(0.78);
    expect(ids.some((id) => firstOf(id) === other)).toBe(false);
  });

  it('is each one of several for as many domains as its share says', () => {
    const several = caAccounts([ca], parseCaAccounts(`b|${ca},c|${ca},d|${ca}|share=3`), new Map());
    const ofD = ids.filter((id) => firstOf(id, several) === `${ca}#d`).length;
    expect(ofD / ids.length).toBeGreaterThan(0.47);
    expect(ofD / ids.length).toBeLessThan(0.53);
  });

  it('is the same again, and changes for the part of another account alone', () => {
    const more = caAccounts([ca, other], parseCaAccounts(`b|${ca}|share=3,c|${ca}|share=1`), new Map());
    const moved = ids.filter((id) => firstOf(id, more) !== firstOf(id));
    expect(moved.every((id) => firstOf(id, more) === `${ca}#c`)).toBe(true);
    expect(moved.length / ids.length).toBeLessThan(0.24);
  });

  it('has those without a share behind it, in their order', () => {
    const failover = caAccounts([ca, other], parseCaAccounts(`b|${ca}|share=0`), new Map());
    for (const id of ids.slice(0, 20))
      expect(rankAccounts(failover, id).map(caAccountId)).toEqual([ca, `${ca}#b`, other]);
  });
});
