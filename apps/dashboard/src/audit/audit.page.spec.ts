import { describe, expect, it } from '@jest/globals';
import { auditEventTypes } from '@pets/contracts';
import { asWords, fieldsOf, formatDetail, nameOfSubject } from './audit.page.js';

const event = {
  ...{ id: 'e1', at: '2026-11-02T09:12:00.000Z', type: 'domain.added', address: null, requestId: null },
  actor: { kind: 'operator' as const, id: null, display: null },
  subject: { kind: 'domain' as const, id: 'd1', display: 'shop.example.com' },
  project: null,
  detail: {},
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

  it('names the resource as people do, or by its kind', () => {
    expect(nameOfSubject(event)).toBe('shop.example.com');
    expect(nameOfSubject({ subject: { kind: 'webhook_delivery', id: 'w1', display: null } })).toBe('Webhook delivery');
  });

  it('shows the name of what it has an id of', () => {
    const detail = { projectId: 'p1', fromProjectId: 'p2', fromProject: 'Shop', deploymentId: 'x1', access: null };
    const shown = (more: object) => fieldsOf({ ...event, detail, ...more }).filter(([, value]) => value !== null);
    expect(shown({ project: { id: 'p1', name: 'Docs' } })).toEqual([
      ['Project', 'Docs'],
      ['From project', 'Shop'],
      ['Deployment ID', 'x1'],
      ['ID', 'd1'],
    ]);
    expect(shown({})).toContainEqual(['Project ID', 'p1']);
  });

  it('omits what is empty', () => {
    expect([null, '', ['a', 'b'], false, 0].map(formatDetail)).toEqual([null, null, 'a, b', 'false', '0']);
  });
});
