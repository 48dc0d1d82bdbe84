import { describe, expect, it } from '@jest/globals';
import type { DomainEvents } from '@pets/contracts';
import { interpretNotServed, interpretRenewalInfo } from './interpret-findings.js';

describe('the renewal window of a CA', () => {
  const fetched: DomainEvents['renewal_info.fetched'] = {
    domainId: '00000000-0000-4000-8000-000000000000',
    generation: 1,
    attempt: 1,
    directoryUrl: 'https://ca.test/dir',
    certificateIdentifier: 'aki.serial',
    window: { start: '2026-02-01T00:00:00.000Z', end: '2026-02-03T00:00:00.000Z' },
    explanationUrl: 'https://ca.test/why',
    retryAt: '2026-01-01T06:00:00.000Z',
    problem: null,
  };

  it('is that of the newest certificate', () => {
    expect(interpretRenewalInfo(fetched, 'aki.serial')).toEqual({
      type: 'renewal_info.fetched',
      window: { start: new Date('2026-02-01T00:00:00Z'), end: new Date('2026-02-03T00:00:00Z') },
      explanationUrl: 'https://ca.test/why',
      retryAt: new Date('2026-01-01T06:00:00Z'),
      hasFailed: false,
    });
  });

  it('could not be fetched', () => {
    const problem = { type: null, detail: 'no answer', status: null, retryAt: null };
    expect(
      interpretRenewalInfo({ ...fetched, window: null, explanationUrl: null, retryAt: null, problem }, 'aki.serial'),
    ).toEqual({ type: 'renewal_info.fetched', window: null, explanationUrl: null, retryAt: null, hasFailed: true });
  });

  it.each([['aki.later'], [null], [undefined]])('is dropped when the newest certificate is %s', (newest) => {
    expect(interpretRenewalInfo(fetched, newest)).toBeNull();
  });
});

describe('a certificate that edges did not present', () => {
  it.each([
    [[], ['no edge is reachable']],
    [
      [
        { edgeId: 'e1', error: 'another certificate' },
        { edgeId: 'e2', error: 'ECONNRESET' },
      ],
      ['e1: another certificate', 'e2: ECONNRESET'],
    ],
  ])('%j', (edges, reasons) => {
    expect(interpretNotServed({ seen: edges })).toEqual({ type: 'certificate.not_served', seen: reasons });
  });
});
