import { describe, expect, it } from '@jest/globals';
import {
  certificateIdentifier,
  nextRenewalInfo,
  nextRenewalInfoAfterFailure,
  renewalInWindow,
  renewalTime,
  type ValidityPeriod,
} from './renewal.js';

const DAY = 86_400;
const HOUR = 3_600;
const t0 = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(t0.getTime() + seconds * 1000);
const secondsAfter = (date: Date) => (date.getTime() - t0.getTime()) / 1000;
const days = (count: number): ValidityPeriod => ({ notBefore: t0, notAfter: after(count * DAY) });

describe('renewal without renewal information of the CA', () => {
  it.each([
    // days of life, jitter, day on which it is due
    [90, 0, 60],
    [90, 0.5, 57.75],
    [90, 0.999999, 55.5],
    [45, 0, 30],
    [10, 0, 6.667],
    [6, 0, 3],
    [6, 0.999999, 2.7],
  ])('of a certificate for %d days with jitter %d is due on day %d', (life, jitter, due) => {
    const { notBefore, notAfter } = days(life);
    expect(secondsAfter(renewalTime(notBefore, notAfter, jitter)) / DAY).toBeCloseTo(due, 3);
  });

  it('of certificates that were issued together is spread', () => {
    const { notBefore, notAfter } = days(90);
    const hours = Array.from({ length: 100 }, (_, nth) => secondsAfter(renewalTime(notBefore, notAfter, nth / 100)));
    expect(new Set(hours.map((seconds) => Math.floor(seconds / HOUR))).size).toBe(100);
  });
});

describe('renewal in the CA’s window', () => {
  const window = (from: number, to: number) => ({ start: after(from * DAY), end: after(to * DAY) });
  it.each<[string, ReturnType<typeof window>, number, number, number]>([
    // window, jitter, today, day on which it is due
    ['at its start', window(60, 62), 0, 1, 60],
    ['at a time that depends on the domain', window(60, 62), 0.25, 1, 60.5],
    ['earlier than our schedule', window(10, 12), 0.5, 1, 11],
    ['now, when that time has passed', window(10, 12), 0.5, 11.5, 11.5],
    ['now, when the window has passed', window(-3, -1), 0.5, 1, 1],
    ['not too late, for any window of the CA', window(80, 100), 1, 1, 75],
  ])('is due %s', (_name, given, jitter, today, due) => {
    expect(secondsAfter(renewalInWindow(given, days(90), jitter, after(today * DAY))) / DAY).toBeCloseTo(due, 6);
  });
});

describe('the next request for renewal information', () => {
  it.each([
    ['when the CA requests it', nextRenewalInfo(after(600), 0, t0), 600],
    ['else after six hours', nextRenewalInfo(null, 0, t0), 6 * HOUR],
    ['up to twelve', nextRenewalInfo(null, 1, t0), 12 * HOUR],
    ['in an hour after a failure', nextRenewalInfoAfterFailure(null, 0, t0), HOUR],
    ['not at once after a failure', nextRenewalInfoAfterFailure(after(60), 0, t0), HOUR],
    ['later after a failure if the CA requests it', nextRenewalInfoAfterFailure(after(9_000), 0, t0), 9_000],
  ])('comes %s', (_name, at, seconds) => expect(secondsAfter(at)).toBe(seconds));
});

describe('certificateIdentifier', () => {
  /** The example of RFC 9773 §4.1. */
  const keyIdentifier = '69885b6b87464041e1b37b847ba0ae2cde01c8d4';

  it.each<[string, string, string]>([
    ['the example of the RFC', '0087654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
    ['without the zero byte that DER adds', '87654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
    ['a serial number that needs none', '01', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ'],
    ['a serial number with more zero bytes than it needs', '00000001', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ'],
    ['the largest first byte without a sign', '7f', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.fw'],
    ['the smallest first byte with one', '80', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIA'],
    ['zero', '0000', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AA'],
    ['an odd number of digits', '1ff', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.Af8'],
  ])('names a certificate: %s', (_name, serial, identifier) => {
    expect(certificateIdentifier(keyIdentifier, serial)).toBe(identifier);
  });

  it('may have an empty key identifier', () => expect(certificateIdentifier('', '01')).toBe('.AQ'));

  it('has the letters of base64url where base64 has those that mean something in a URL', () => {
    expect(certificateIdentifier('fbff', '01')).toBe('-_8.AQ');
  });
});
