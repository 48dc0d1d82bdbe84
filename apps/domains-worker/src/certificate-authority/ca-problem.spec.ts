import { describe, expect, it } from '@jest/globals';
import { CaError, parseRetryAfter, readProblem, toCaProblem } from './ca-problem.js';

const now = new Date('2026-11-21T12:00:00.000Z');

describe('parseRetryAfter', () => {
  it.each([
    ['120', '2026-11-21T12:02:00.000Z'],
    ['Sat, 21 Nov 2026 13:00:00 GMT', '2026-11-21T13:00:00.000Z'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', '2026-12-21T12:00:00.000Z'],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads %s', (text, at) => {
    expect(parseRetryAfter(text, now)?.toISOString()).toBe(at);
  });
});

describe('readProblem', () => {
  it('keeps type, detail, status and retry time', () => {
    const body = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many', status: 429 };
    expect(readProblem(body, 429, '60', now)).toEqual({
      type: 'urn:ietf:params:acme:error:rateLimited',
      detail: 'too many',
      status: 429,
      retryAt: '2026-11-21T12:01:00.000Z',
    });
  });

  const compound = 'urn:ietf:params:acme:error:compound';
  const rejected = 'urn:ietf:params:acme:error:rejectedIdentifier';
  const inner = { type: rejected, detail: 'docs.acme.example is forbidden', identifier: { type: 'dns', value: 'd' } };
  it.each([
    ['the type of the outer problem', { type: rejected, detail: 'some', subproblems: [inner] }, rejected, inner.detail],
    ['the type of the part', { type: compound, detail: 'some', subproblems: [inner] }, rejected, inner.detail],
    ['neither of the part', { type: compound, detail: 'some', subproblems: [] }, compound, 'some'],
    ['no part that is none', { type: rejected, detail: 'some', subproblems: ['x'] }, rejected, 'some'],
  ])('takes the detail of the sub-problem, and %s', (_case, body, type, detail) => {
    expect(readProblem(body, 400, undefined, now)).toMatchObject({ type, detail });
  });

  it('keeps only the status of another document', () => {
    expect(readProblem('<html>', 502, undefined, now)).toEqual({
      type: null,
      detail: 'the CA answered with status 502',
      status: 502,
      retryAt: null,
    });
  });
});

describe('toCaProblem', () => {
  it('is the reason of the abort for an aborted job', () => {
    const signal = AbortSignal.abort(new Error('timed out after 45000 ms'));
    expect(toCaProblem(new Error('canceled'), signal).detail).toBe('timed out after 45000 ms');
  });

  it('keeps the problem of the CA if the job was aborted after it', () => {
    const problem = readProblem({ detail: 'no' }, 403, undefined, now);
    expect(toCaProblem(new CaError(problem), AbortSignal.abort(new Error('late')))).toEqual(problem);
  });
});
