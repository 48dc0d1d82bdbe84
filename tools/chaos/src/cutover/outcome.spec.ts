import { describe, expect, it } from '@jest/globals';
import { listProblems, measureSwitch, renderTranscript } from './outcome.js';
import { evaluateReply, type ExpectedServer, type Visit } from './visits.js';

const here: ExpectedServer = { label: 'here', address: '127.0.0.1', rootFingerprint: 'AA', body: 'site' };
const reply = { certificateError: null, rootFingerprint: 'AA', fingerprint: 'BB', status: 200, body: 'site' };
const visitOf = (atMs: number, changes: Partial<Visit> = {}): Visit => ({
  ...{ atMs, server: 'elsewhere', outcome: 'served' },
  ...changes,
});

describe('a reply', () => {
  it.each([
    ['is served', {}, 'served'],
    ['has a certificate of another name', { certificateError: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'wrong certificate'],
    ['has the certificate of the other server', { rootFingerprint: 'CC' }, 'wrong certificate'],
    ['has another body', { body: 'other' }, 'wrong answer'],
    ['has another status', { status: 404 }, 'wrong answer'],
  ])('%s', (_title, changes, outcome) => {
    expect(evaluateReply({ ...reply, ...changes }, here).outcome).toBe(outcome);
  });
});

const visits = [
  visitOf(9_500),
  visitOf(10_400),
  visitOf(10_600, { server: 'here' }),
  visitOf(11_200, { server: 'here', outcome: 'failed', error: 'ECONNRESET' }),
];

it('shows for each second where the visitors were and what failed', () => {
  expect(renderTranscript(visits, 10_000)).toEqual([
    '  -1 s  elsewhere   1  here   0  failed 0, wrong 0',
    '  +0 s  elsewhere   1  here   1  failed 0, wrong 0',
    '  +1 s  elsewhere   0  here   1  failed 1, wrong 0',
  ]);
  expect(listProblems(visits, 'failed')).toEqual([{ count: 1, text: '1 visits failed: here: failed: ECONNRESET' }]);
});

it('measures the switch', () => {
  expect(measureSwitch(visits, { switchedAtMs: 10_000, to: 'here' })).toEqual({ firstAtNewMs: 600, lastAtOldMs: 400 });
});
