/** The platform's list of public addresses: what is offered, which names match by it, and how an address is given up. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  webhookEventTypes,
  type AddedDomains,
  type DnsFindings,
  type DnsLookup,
  type Domain,
  type ExpectedDns,
} from '@pets/contracts';
import { jitterOf } from '@pets/domains';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { PublicAddresses } from '../../src/names/public-addresses.js';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { addVerified, issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { renewalSteps } from '../certificates/renewal-steps.js';
import { findings, matchingFindings, siblingOf } from '../scripted-worker.js';
import { addLive, recordOf } from '../domains/wildcard-steps.js';
import { PATH } from '../events/webhook-fixture.js';

const eight = [1, 2, 3, 4, 5, 6, 7, 8].map((last) => `185.199.108.${last}`);
const DAY_MS = 86_400_000;

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { PUBLIC_ADDRESSES: [...eight, '2a00:1450::1'].join() });
});
afterAll(() => fixture.close());

let count = 0;
const freshApex = () => `addresses-${process.pid}-${++count}.com`;
const list = () => fixture.api.service(PublicAddresses);
async function admin(line: string): Promise<Record<string, unknown>> {
  const result = await runAdminCommand(line.split(' '), fixture.api.db, adminConfig);
  await list().refresh();
  return result as Record<string, unknown>;
}
const organizationToken = async ({ id }: Domain): Promise<string> => {
  const { rows } = await sql<{ token: string }>`
    select c.ownership_token as token from domain_claims c join domains d using (organization_id, name)
    where d.id = ${id}`.execute(fixture.api.db);
  return rows[0]?.token ?? '';
};

const answerOf = (values: readonly string[]): DnsLookup['answer'] =>
  values.length === 0 ? { kind: 'absent' } : { kind: 'found', records: values.map((value) => ({ value, ttl: 60 })) };

interface Shown {
  readonly a: readonly string[];
  /** Addresses that resolvers return for the target. */
  readonly target?: readonly string[] | 'failed';
  readonly txt?: readonly string[];
}

/** Answers of a resolver and a server of the zone about a name with addresses. */
const shows =
  ({ a, target = [], txt = [] }: Shown) =>
  ({ name, targetHost, ownershipHost }: ExpectedDns): DnsFindings => {
    const servers = [{ server: '192.0.2.53:53' }, { server: '192.0.2.54:53', isAuthoritative: true }];
    const ours = target === 'failed' ? ({ kind: 'failed', error: 'SERVFAIL' } as const) : answerOf(target);
    const resolver = { server: '192.0.2.53:53' };
    return findings([
      ...servers.flatMap((server): DnsLookup[] => [
        { ...server, name, type: 'CNAME', answer: { kind: 'absent' } },
        { ...server, name, type: 'A', answer: answerOf(a) },
        { ...server, name, type: 'AAAA', answer: { kind: 'absent' } },
      ]),
      { ...resolver, name: targetHost, type: 'A', answer: ours },
      { ...resolver, name: targetHost, type: 'AAAA', answer: { kind: 'absent' } },
      ...(ownershipHost === null
        ? []
        : [
            { ...resolver, name: ownershipHost, type: 'TXT' as const, answer: answerOf(txt) },
            { ...resolver, name: siblingOf(ownershipHost), type: 'TXT' as const, answer: answerOf([]) },
          ]),
    ]);
  };
const proven =
  (shown: Shown) =>
  (expected: ExpectedDns): DnsFindings =>
    shows({ ...shown, txt: [expected.ownershipToken ?? ''] })(expected);

/** Lets another check of a domain find something, and waits for its result. */
const recheck = async (id: string, find: (expected: ExpectedDns) => DnsFindings): Promise<void> => {
  await untilChecked(id, async () => {
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, find);
  });
};
async function untilChecked(id: string, act: () => Promise<void>): Promise<void> {
  await renewalSteps(fixture).untilApplied(id, 'dns', act);
}
const matchedOf = async (id: string) =>
  (await fixture.api.db.selectFrom('domains').select('matched_addresses').where('id', '=', id).executeTakeFirst())
    ?.matched_addresses;

describe('an apex', () => {
  it('is offered the listed addresses in place of the ALIAS, a name below is not', async () => {
    const owner = await fixture.tenant();
    const apex = await owner.add(freshApex());
    expect(recordOf(apex, 'routing')).toMatchObject({
      type: 'ALIAS',
      alternatives: [
        ...eight.map((value) => ({ type: 'A', name: '@', value, ttl: 3600 })),
        { type: 'AAAA', name: '@', value: '2a00:1450::1', ttl: 3600 },
      ],
    });
    expect(recordOf(await owner.add(`docs.${freshApex()}`), 'routing')).not.toHaveProperty('alternatives');
    const path = `/v1/projects/${owner.projectId}/domains:batch`;
    const body = { domains: [{ name: freshApex() }] };
    const { body: batch } = await fixture.api.request<AddedDomains>('POST', path, { key: owner.key, body });
    expect(batch.results[0]?.records[0]?.alternatives).toHaveLength(9);
  });

  it('goes live with one address of the list and the TXT record, whatever resolvers say of the target', async () => {
    for (const target of [[], 'failed', ['203.0.113.50']] as const) {
      const owner = await fixture.tenant();
      const { id } = await addLive(fixture, owner, freshApex(), proven({ a: ['185.199.108.3'], target }));
      expect(await owner.get(id)).toMatchObject({ state: 'live', misconfigured: false, issues: [] });
      expect(await matchedOf(id)).toEqual(['185.199.108.3']);
    }
  });

  it('matches with two of eight rotating addresses in 20 of 20 checks, while the resolver returns another two', async () => {
    const owner = await fixture.tenant();
    const pair = (turn: number) => [eight[turn % 8] ?? '', eight[(turn + 1) % 8] ?? ''];
    const { id } = await addLive(fixture, owner, freshApex(), proven({ a: pair(0), target: pair(2) }));
    for (let turn = 1; turn <= 20; turn += 1) {
      await recheckOf(owner, id, shows({ a: pair(turn), target: pair(turn + 4) }));
      expect(await owner.get(id)).toMatchObject({ misconfigured: false, issues: [] });
    }
  });

  it('names the records in the issue where it points elsewhere', async () => {
    const owner = await fixture.tenant();
    const { id } = await owner.add(freshApex());
    await fixture.check(id, shows({ a: ['203.0.113.9', '185.199.108.1'], target: ['185.199.108.2'] }));
    await untilIssues(owner, id, ['apex_not_pointing_here', 'ownership_txt_missing']);
    const { issues, dns } = await owner.get(id);
    expect(issues[0]?.remediation).toContain('A 185.199.108.1');
    expect(dns.conflicts).toMatchObject([{ value: '203.0.113.9' }]);
  });
});

async function recheckOf(owner: Tenant, id: string, find: (expected: ExpectedDns) => DnsFindings): Promise<void> {
  await recheck(id, find);
  expect((await owner.get(id)).id).toBe(id);
}

describe('a name below an apex', () => {
  it('is offered address records once a check has seen our addresses there', async () => {
    const owner = await fixture.tenant();
    const { id } = await owner.add(`docs.${freshApex()}`);
    await fixture.check(id, shows({ a: ['185.199.108.1'] }));
    await untilIssues(owner, id, ['ownership_txt_missing', 'flattened']);
    expect(recordOf(await owner.get(id), 'routing')?.alternatives?.[0]).toMatchObject({ type: 'A', name: 'docs' });
  });

  it('with a CNAME stores no addresses', async () => {
    const { id } = await addVerified(fixture, await fixture.tenant(), `docs.${freshApex()}`);
    expect(await matchedOf(id)).toBeNull();
  });
});

describe('a listed address proves nothing', () => {
  it('without the TXT record, or with that of another organization', async () => {
    const [attacker, other] = [await fixture.tenant(), await fixture.tenant()];
    const name = freshApex();
    const [mine, theirs] = [await attacker.add(name), await other.add(name)];
    await fixture.check(mine.id, shows({ a: ['185.199.108.1'] }));
    await untilIssues(attacker, mine.id, ['ownership_txt_missing']);
    const txt = [await organizationToken(theirs)];
    await fixture.makeDue(mine.id, 'dns');
    await fixture.check(mine.id, shows({ a: ['185.199.108.1'], txt }));
    await untilIssues(attacker, mine.id, ['ownership_txt_missing']);
    expect(await attacker.get(mine.id)).toMatchObject({ state: 'awaiting_dns', ownership: { state: 'pending' } });
  });

  it('and the holder keeps the name', async () => {
    const [holder, attacker] = [await fixture.tenant(), await fixture.tenant()];
    const name = freshApex();
    const held = await addLive(fixture, holder, name, proven({ a: ['185.199.108.1'] }));
    const taken = await attacker.add(name);
    await fixture.check(taken.id, shows({ a: ['185.199.108.1'], txt: [await organizationToken(held)] }));
    await untilIssues(attacker, taken.id, ['ownership_txt_missing', 'claimed_elsewhere']);
    expect(await holder.get(held.id)).toMatchObject({ state: 'live' });
  });
});

describe('an address that is given up', () => {
  const eventsOf = async (id: string) =>
    (
      await fixture.api.db
        .selectFrom('webhook_deliveries')
        .select('type')
        .where('subject_id', '=', id)
        .orderBy('number')
        .execute()
    ).map(({ type }) => type);

  it('still matches, is offered no more, and is reported once, at the time of the domain', async () => {
    const owner = await fixture.tenant();
    const body = { url: 'https://hooks.example.com/', eventTypes: webhookEventTypes };
    await fixture.api.request('POST', PATH, { key: owner.key, body });
    const old = '185.199.109.1';
    await admin(`addresses add --address ${old}`);
    const find = shows({ a: [old, '185.199.108.1'], target: ['185.199.108.1'] });
    const { id } = await addLive(fixture, owner, freshApex(), proven({ a: [old, '185.199.108.1'] }));
    await admin(`addresses retire --address ${old}`);
    expect(JSON.stringify(recordOf(await owner.get(id), 'routing'))).not.toContain(old);

    const retiredAgo = async (ms: number) => {
      const since = new Date(Date.now() - ms);
      await sql`update public_addresses set retiring_since = ${since} where address = ${old}::inet`.execute(
        fixture.api.db,
      );
      await list().refresh();
    };
    await retiredAgo(jitterOf(id) * DAY_MS - 60_000);
    await recheck(id, find);
    expect(issueCodesOf(await owner.get(id))).toEqual([]);

    await retiredAgo(jitterOf(id) * DAY_MS + 1_000);
    const before = await eventsOf(id);
    for (let round = 0; round < 3; round += 1) await recheck(id, find);
    const warned = await owner.get(id);
    expect(warned).toMatchObject({ state: 'live', misconfigured: false });
    expect(warned.issues).toMatchObject([{ code: 'address_retiring', severity: 'warning', evidence: { seen: [old] } }]);
    expect(warned.issues[0]?.message).toContain(old);
    expect(warned.issues[0]?.remediation).toContain('A 185.199.108.1');
    expect((await eventsOf(id)).slice(before.length)).toEqual(['domain.address_retiring']);

    await recheck(id, shows({ a: ['185.199.108.1'], target: ['185.199.108.1'] }));
    expect(issueCodesOf(await owner.get(id))).toEqual([]);
    expect((await eventsOf(id)).slice(before.length)).toEqual(['domain.address_retiring', 'domain.issues_resolved']);
  });

  it('is removed only when no domain shows it, unless forced; removed domains do not count', async () => {
    const owner = await fixture.tenant();
    const old = '185.199.109.2';
    expect(await admin(`addresses add --address ${old}`)).toMatchObject({ address: old, changed: true, domains: 0 });
    const { id } = await addLive(fixture, owner, freshApex(), proven({ a: [old] }));
    const gone = await addLive(fixture, owner, freshApex(), proven({ a: [old] }));
    await owner.remove(gone.id);
    const { addresses } = (await admin('addresses list')) as { addresses: { address: string }[] };
    expect(addresses.find(({ address }) => address === old)).toMatchObject({ retiringSince: null, domains: 1 });
    await expect(admin(`addresses remove --address ${old}`)).rejects.toThrow(`1 domains showed ${old}`);
    expect(await admin(`addresses remove --address ${old} --force`)).toEqual({ removed: old, domains: 1 });
    await recheck(id, shows({ a: [old], target: ['185.199.108.1'] }));
    expect(issueCodesOf(await owner.get(id))).toEqual(['dns_lost', 'apex_not_pointing_here']);
    await recheck(id, matchingFindings);
    await admin(`addresses add --address ${old}`);
    expect(await admin(`addresses remove --address ${old}`)).toEqual({ removed: old, domains: 0 });
  });
});
