import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { codesOf, renewalSteps, secondsTo } from './renewal-steps.js';

let fixture: DomainFixture;
let steps: ReturnType<typeof renewalSteps>;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = renewalSteps(fixture);
});
afterAll(() => fixture.close());

describe('a domain without a certificate', () => {
  it('is checked when its certificate is overdue, gets one event, and keeps the issue until a certificate arrives', async () => {
    const { id, name, issue } = await fixture.verified();
    expect(secondsTo((await fixture.get(id)).dns.nextCheckAt)).toBeLessThanOrEqual(1_800);
    expect(secondsTo((await fixture.get(id)).dns.nextCheckAt)).toBeGreaterThan(1_700);
    await sql`
      update domains set generation_began_at = now() - interval '31 minutes' where id = ${id}`.execute(fixture.api.db);
    const overdue = await steps.checkDns(id);
    expect(overdue.issues).toMatchObject([
      { code: 'certificate_overdue', remediation: expect.stringContaining('CAA records') },
    ]);
    await steps.checkDns(id);
    expect(await steps.certificateEventTypes(id)).toEqual(['certificate.overdue']);

    await fixture.sign(issue, name);
    await steps.prove(id);
    expect(codesOf(await fixture.get(id))).toEqual([]);
    expect(secondsTo((await fixture.get(id)).dns.nextCheckAt)).toBeGreaterThan(2_600);
  });
});

describe('a live domain', () => {
  it('gets one event for each stage of an expiring certificate, and stays served', async () => {
    const { id, name } = await steps.live();
    await steps.age(id, 44);
    expect(codesOf(await steps.checkDns(id))).toEqual([]);
    expect(codesOf(await steps.checkDns(id, false))).toEqual(['dns_lost', 'cname_mismatch', 'renewal_at_risk']);
    expect(codesOf(await steps.checkDns(id))).toEqual([]);
    await steps.checkDns(id, false);
    await steps.age(id, 8);
    expect(codesOf(await steps.checkDns(id))).toEqual(['certificate_expiring']);
    await steps.age(id, -1);
    expect(await steps.checkDns(id)).toMatchObject({
      state: 'live',
      certificate: { state: 'expired' },
      issues: [{ code: 'certificate_expired' }],
    });
    await steps.checkDns(id);
    expect(await steps.certificateEventTypes(id)).toEqual([
      ...['certificate.issued', 'certificate.served'],
      ...['certificate.renewal_at_risk', 'certificate.expiring', 'certificate.expired'],
    ]);
    expect(await steps.route(name)).toMatchObject({ serve: { kind: 'site' } });

    await fixture.sign(await steps.next(id), name);
    await steps.prove(id);
    expect(await fixture.get(id)).toMatchObject({ certificate: { state: 'issued' }, issues: [] });
    await steps.age(id, 8);
    await steps.checkDns(id);
    expect((await steps.certificateEventTypes(id)).slice(-2)).toEqual(['certificate.issued', 'certificate.expiring']);
  });
});

describe('a redirect', () => {
  it('is there only while its target can be visited: else the site is served where it begins', async () => {
    const [from, to] = [await steps.live(), await fixture.verified()];
    const body = { domains: { redirects: [{ from: from.name, to: to.name, status: 301 }] } };
    await fixture.api.request('PUT', `/v1/projects/${fixture.projectId}/domain-config`, { key: fixture.key, body });
    expect(await steps.route(from.name)).toMatchObject({ serve: { kind: 'site' } });

    await fixture.sign(to.issue, to.name);
    await steps.prove(to.id);
    expect(await steps.route(from.name)).toMatchObject({ serve: { kind: 'redirect', to: to.name } });

    await steps.age(to.id, -1);
    await steps.checkDns(to.id);
    expect(await steps.route(from.name)).toMatchObject({ serve: { kind: 'site' } });

    await fixture.sign(await steps.next(to.id), to.name);
    await steps.prove(to.id);
    expect(await steps.route(from.name)).toMatchObject({ serve: { kind: 'redirect', to: to.name } });
  });
});
