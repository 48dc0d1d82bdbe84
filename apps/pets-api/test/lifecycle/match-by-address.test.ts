/** Names below an apex that show our addresses and no CNAME: which are verified, and that nobody can take one without a proof. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DnsFindings, DnsLookup, Domain, ExpectedDns } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { addVerified, issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import {
  emptyFindings,
  findings,
  flattenedFindings,
  matchingFindings,
  siblingOf,
  withDelegation,
  withoutDelegation,
} from '../scripted-worker.js';
import { addLive, freshBase, recordOf } from '../domains/wildcard-steps.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

let count = 0;
const freshName = () => `docs.d${process.pid}-${++count}.com`;
const recordsOf = ({ records }: Domain) =>
  records.flatMap(({ type, name, purpose }) => (purpose === 'delegation' ? [] : [`${type} ${name}`]));
/** The value that an organization may put into DNS to prove a name. */
const tokenOf = async ({ id }: Domain): Promise<string> => {
  const { rows } = await sql<{ token: string }>`
    select c.ownership_token as token from domain_claims c join domains d using (organization_id, name)
    where d.id = ${id}`.execute(fixture.api.db);
  return rows[0]?.token ?? '';
};
const check = (owner: Tenant, { id }: Domain) =>
  fixture.api.request('POST', `${fixture.path(owner.projectId)}/${id}/verify`, { key: owner.key });

type Txt = Partial<Pick<DnsLookup, 'answer' | 'alias'>>;
const values = (...texts: string[]): DnsLookup['answer'] => ({
  kind: 'found',
  records: texts.map((value) => ({ value, ttl: 60 })),
});

/** Our addresses, and answers to the questions for the TXT record and for a sibling of it, from a server of the zone. */
function flattened(expected: ExpectedDns, txt: Txt = {}, sibling: Txt = {}): DnsFindings {
  const { lookups, ...found } = flattenedFindings(expected);
  const host = expected.ownershipHost ?? '';
  const at = (name: string, { answer = { kind: 'absent' }, alias }: Txt): DnsLookup => ({
    name,
    type: 'TXT',
    server: '192.0.2.54:53',
    isAuthoritative: true,
    answer,
    ...(alias !== undefined && { alias }),
  });
  return {
    ...found,
    zone: expected.name.slice(expected.name.indexOf('.') + 1),
    lookups: [...lookups, at(host, txt), at(siblingOf(host), sibling)],
  };
}

const proven = (expected: ExpectedDns) => flattened(expected, { answer: values(expected.ownershipToken ?? '') });

/** A name that is verified by address. */
async function addByAddress(owner: Tenant, name: string): Promise<Domain> {
  const { id } = await owner.add(name);
  await fixture.check(id, proven);
  await owner.untilState(id, 'verified');
  return owner.get(id);
}

describe('a name that shows our addresses alone', () => {
  it('gets the TXT record offered by the check that has seen them, and is verified with it', async () => {
    const owner = await fixture.tenant();
    const added = await owner.add(freshName());
    expect(recordsOf(added)).toEqual(['CNAME docs']);
    await fixture.check(added.id, flattened);
    await untilIssues(owner, added.id, ['ownership_txt_missing', 'flattened']);
    const shown = await owner.get(added.id);
    expect(shown).toMatchObject({ state: 'awaiting_dns', ownership: { required: true, state: 'pending' } });
    expect(recordsOf(shown)).toEqual(['CNAME docs', 'TXT _platform-challenge.docs']);
    await check(owner, added);
    await fixture.check(added.id, proven);
    await owner.untilState(added.id, 'verified');
    const verified = await owner.get(added.id);
    expect(verified).toMatchObject({ ownership: { state: 'proven' } });
    expect(issueCodesOf(verified)).toEqual(['flattened']);
  });

  it('stays live, and is not misconfigured, where its CNAME was flattened later', async () => {
    const owner = await fixture.tenant();
    const { id } = await addLive(fixture, owner, freshName(), matchingFindings);
    for (let round = 1; round <= 3; round += 1) {
      await fixture.makeDue(id, 'dns');
      const job = await fixture.worker.nextJob('verify-dns', id);
      expect(job.expected).toMatchObject({ ownershipHost: expect.any(String), isProofByAddress: true });
      const { domainId, generation, attempt } = job;
      const findings = flattened(job.expected);
      await fixture.api.messaging.events.emit('dns.checked', { domainId, generation, attempt, findings });
      const at = new Date(findings.checkedAt).getTime();
      await waitUntil(async () => new Date((await owner.get(id)).dns.checkedAt ?? 0).getTime() >= at);
    }
    expect(await owner.get(id)).toMatchObject({ state: 'live', misconfigured: false, issues: [{ code: 'flattened' }] });
  });

  it('is offered the records of an apex where it is a zone of its own', async () => {
    const owner = await fixture.tenant();
    const added = await owner.add(freshName());
    const own = (findings: DnsFindings): DnsFindings => ({ ...findings, zone: added.name });
    await fixture.check(added.id, (expected) => own(flattened(expected)));
    await untilIssues(owner, added.id, ['ownership_txt_missing']);
    expect(recordsOf(await owner.get(added.id))).toEqual(['ALIAS docs', 'TXT _platform-challenge.docs']);
    await check(owner, added);
    await fixture.check(added.id, (expected) => {
      expect(expected.isApex).toBe(true);
      return own(proven(expected));
    });
    await owner.untilState(added.id, 'verified');
    expect((await owner.get(added.id)).issues).toEqual([]);
  });

  it('is offered a CNAME where it is an apex by the list alone, and keeps it without a warning', async () => {
    const owner = await fixture.tenant();
    const added = await owner.add(`shop-${process.pid}.js.org`);
    expect(recordsOf(added)).toEqual(['ALIAS @', 'TXT _platform-challenge']);
    const inZone = (seen: DnsFindings): DnsFindings => ({ ...seen, zone: 'js.org' });
    await fixture.check(added.id, ({ name }) =>
      inZone(findings([{ name, type: 'CNAME', server: '192.0.2.53:53', answer: { kind: 'absent', zone: 'js.org' } }])),
    );
    await untilIssues(owner, added.id, ['no_record']);
    expect(recordsOf(await owner.get(added.id))).toEqual(['CNAME @']);
    await check(owner, added);
    await fixture.check(added.id, (expected) => inZone(matchingFindings(expected)));
    await owner.untilState(added.id, 'verified');
    expect((await owner.get(added.id)).issues).toEqual([]);
  });

  it('needs the delegation of a wildcard, found by the same check', async () => {
    const owner = await fixture.tenant();
    const added = await owner.add(`*.${freshBase()}`);
    await fixture.check(added.id, (expected) => withoutDelegation(flattened(expected), expected));
    await untilIssues(owner, added.id, ['flattened', 'delegation_missing']);
    await check(owner, added);
    await fixture.check(added.id, (expected) => withDelegation(flattened(expected), expected));
    await owner.untilState(added.id, 'verified');
  });
});

describe('nobody takes a name that shows our addresses', () => {
  it.each<[string, (own: string, other: string) => [txt: Txt, sibling?: Txt]]>([
    ['without the TXT record', () => [{}]],
    ['with the token of another organization', (_own, other) => [{ answer: values(other) }]],
    ['with its token over a CNAME', (own) => [{ answer: values(own), alias: 'attacker.example' }]],
    ['with its token from a wildcard', (own) => [{ answer: values(own) }, { answer: values(own) }]],
  ])('%s', async (_case, seen) => {
    const [attacker, other] = [await fixture.tenant(), await fixture.tenant()];
    const name = freshName();
    const theirToken = await tokenOf(await other.add(name));
    const { id } = await attacker.add(name);
    await fixture.check(id, (expected) => flattened(expected, ...seen(expected.ownershipToken ?? '', theirToken)));
    await untilIssues(attacker, id, ['ownership_txt_missing', 'flattened']);
    expect((await attacker.get(id)).state).toBe('awaiting_dns');
  });

  it('by a record to the target of an organization that has removed the name, with the TXT record or without', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const theirs = await addVerified(fixture, former, freshName());
    await former.remove(theirs.id);
    const dangling = recordOf(theirs, 'routing')?.value ?? '';
    const { id } = await next.add(theirs.name);
    await fixture.check(id, (expected) => {
      const { lookups, ...findings } = proven(expected);
      const cname = { answer: values(dangling) };
      return {
        ...findings,
        lookups: lookups.map((lookup) =>
          lookup.type === 'CNAME' && lookup.name === expected.name ? { ...lookup, ...cname } : lookup,
        ),
      };
    });
    await untilIssues(next, id, ['cname_mismatch']);
    expect((await next.get(id)).state).toBe('awaiting_dns');
  });

  it('below the flattened wildcard of another organization', async () => {
    const [holder, attacker] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    await addLive(fixture, holder, `*.${base}`, (expected) => withDelegation(flattened(expected), expected));
    const { id } = await attacker.add(`docs.${base}`);
    await fixture.check(id, flattened);
    await untilIssues(attacker, id, ['ownership_txt_missing', 'flattened']);
    expect((await attacker.get(id)).state).toBe('awaiting_dns');
  });

  it('unnoticed: with two proofs at once, the holder is notified before, and one organization holds the name after', async () => {
    const [holder, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = freshName();
    const taking = await next.add(name);
    const theirToken = await tokenOf(taking);
    await fixture.check(taking.id, emptyFindings);
    const both = (expected: ExpectedDns) =>
      flattened(expected, { answer: values('v=spf1 -all', expected.ownershipToken ?? '', theirToken) });
    const { id } = await holder.add(name);
    await fixture.check(id, both);
    await holder.untilState(id, 'verified');
    const [, warning] = (await holder.get(id)).issues;
    expect(warning).toMatchObject({ code: 'ownership_txt_of_others', evidence: { seen: [theirToken] } });
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, proven);
    await untilIssues(holder, id, ['flattened']);
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, both);
    await untilIssues(holder, id, ['flattened', 'ownership_txt_of_others']);

    await check(next, taking);
    await fixture.check(taking.id, (expected) => flattened(expected, { answer: values(theirToken) }));
    await next.untilState(taking.id, 'verified');
    await holder.untilState(id, 'removed');
  });
});

it('a name that is taken by proof is the only one that is held', async () => {
  const [first, second] = [await fixture.tenant(), await fixture.tenant()];
  const { id, name } = await addByAddress(first, freshName());
  const taken = await addByAddress(second, name);
  expect((await first.get(id)).state).toBe('removed');
  expect(taken.state).toBe('verified');
});
