import { describe, expect, it } from '@jest/globals';
import { classifyError, mayRepeat, type SentRequest } from './classify-error.js';
import { OriginError } from './origin-error.js';

const coded = (code: string) => Object.assign(new Error('other side closed'), { code });
const request: SentRequest = {
  method: 'GET',
  isSent: true,
  hasAnswerBegun: false,
  isReused: true,
  hasBody: false,
  isBodyUnread: true,
};

describe('a request that failed', () => {
  it.each<[name: string, expected: boolean, more: Partial<SentRequest>, error?: Error]>([
    ['on a reused connection', true, {}],
    ['on a new connection', false, { isReused: false }],
    ['after the first byte of its answer', false, { hasAnswerBegun: true }],
    ['with POST', false, { method: 'POST' }],
    ['with PATCH', false, { method: 'PATCH' }],
    ['with PUT and no body', true, { method: 'PUT' }],
    ['with PUT and a body', false, { method: 'PUT', hasBody: true, isBodyUnread: false }],
    ['with GET and a body', false, { hasBody: true, isBodyUnread: false }],
    ['by an invalid answer', false, {}, coded('HPE_INVALID_CONSTANT')],
    ['before it was sent', true, { method: 'POST', isSent: false, isReused: false, hasBody: true }],
    ['because it is not valid', false, { isSent: false }, coded('UND_ERR_INVALID_ARG')],
    ['for a reason of the edge', false, {}, new OriginError('timeout', 'too slow')],
  ])('%s may be repeated: %s', (_name, expected, more, error = coded('UND_ERR_SOCKET')) => {
    expect(mayRepeat(error, { ...request, ...more })).toBe(expected);
  });

  it('has a reason in the words of the contract', () => {
    expect(classifyError(coded('UND_ERR_INVALID_ARG'))).toBe('bad_request');
    expect(classifyError(coded('ECONNRESET'))).toMatchObject({ failure: 'invalid_answer' });
    expect(classifyError('text')).toMatchObject({ failure: 'invalid_answer', message: 'text' });
    const own = new OriginError('loop', 'x'.repeat(1_000));
    expect(classifyError(own)).toBe(own);
    expect(own.message).toHaveLength(300);
  });
});
