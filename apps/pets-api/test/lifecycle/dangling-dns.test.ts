import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { addVerified, issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { emptyFindings, matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

describe('DNS that still points here after a removal', () => {
  it('is checked after an hour, reported to the former owner once, and not served', async () => {
    const owner = await fixture.tenant();
    const { id, name } = await addVerified(fixture, owner, fixture.freshName());
    await owner.remove(id);
    const { removedAt, dns } = await owner.get(id);
    expect(new Date(dns.nextCheckAt ?? 0).getTime() - new Date(removedAt ?? 0).getTime()).toBe(3_600_000);

    for (let check = 1; check <= 2; check++) {
      await fixture.makeDue(id, 'dns');
      await fixture.check(id, matchingFindings);
      await waitUntil(async () => new Date((await owner.get(id)).dns.nextCheckAt ?? 0).getTime() > Date.now());
    }
    const removed = await owner.get(id);
    expect(removed.state).toBe('removed');
    expect(issueCodesOf(removed)).toEqual(['dangling_record']);
    const lines = (await owner.events(id)).filter(({ type, from }) => type === 'dns.checked' && from === 'removed');
    expect(lines.map(({ detail }) => detail)).toEqual([
      `${removed.issues[0]?.message} ${removed.issues[0]?.remediation}`,
    ]);
    const { rows } = await sql`
      select from edge_routes where host = ${name} and route is not null`.execute(fixture.api.db);
    expect(rows).toHaveLength(0);

    await fixture.makeDue(id, 'dns');
    await fixture.check(id, emptyFindings);
    await untilIssues(owner, id, []);
    expect((await owner.get(id)).dns.nextCheckAt).toBeNull();
  });

  it('is no matter any more once the name is added again', async () => {
    const owner = await fixture.tenant();
    const { id, name } = await addVerified(fixture, owner, fixture.freshName());
    await owner.remove(id);
    await owner.add(name);
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, matchingFindings);
    await waitUntil(async () => (await owner.get(id)).dns.nextCheckAt === null);
    expect(issueCodesOf(await owner.get(id))).toEqual([]);
  });
});
