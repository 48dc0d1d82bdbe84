import { describe, expect, it } from '@jest/globals';
import { auditEventTypes } from '@pets/contracts';
import { asWords, formatDetail, nameOfSubject } from './audit.page.js';

const event = {
  ...{ id: 'e1', at: '2026-11-02T09:12:00.000Z', type: 'domain.added', address: null, requestId: null },
  actor: { kind: 'operator' as const, id: null, display: null },
  subject: { kind: 'domain' as const, id: 'd1' },
};

describe('an audit event in words', () => {
  it.each([
    ['webhook_endpoint.secret_rotated', 'Webhook endpoint secret rotated'],
    ['api_key.created', 'API key created'],
    ['expiresAt', 'Expires at'],
    ['projectId', 'Project ID'],
    ['', ''],
  ])('%s is %s', (name, words) => expect(asWords(name)).toBe(words));

  it.each(auditEventTypes)('%s has no sign of its code', (type) =>
    expect(asWords(type)).toMatch(/^[A-Z][A-Za-z]*(?: [A-Za-z]+)+$/),
  );

  it('names the resource as people do', () => {
    expect(nameOfSubject({ ...event, detail: { name: 'shop.example.com' } })).toBe('shop.example.com');
    expect(nameOfSubject({ ...event, detail: { host: 'hooks.example.com', enabled: true } })).toBe('hooks.example.com');
    expect(nameOfSubject({ ...event, detail: { name: '' } })).toBe('d1');
    expect(nameOfSubject({ ...event, detail: {} })).toBe('d1');
  });

  it('omits what is empty', () => {
    expect([null, '', ['a', 'b'], false, 0].map(formatDetail)).toEqual([null, null, 'a, b', 'false', '0']);
  });
});
