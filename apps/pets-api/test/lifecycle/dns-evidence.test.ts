import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DnsFindings, DnsLookup, Domain, ExpectedDns } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { addVerified, untilIssues } from '../domains/domain-steps.js';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { gateOf, matchingFindings, orderOf, siblingOf, withLookups } from '../scripted-worker.js';

const SIZE = 60_000;
/** Limit of what one domain may add to an answer, with the sentences about it. */
const MAX_DOMAIN_BYTES = 16_384;

/** Servers that a check asks where a zone has four servers and two resolvers are set. */
const servers = [1, 2, 3, 4, 5, 6].map((host) => `192.0.2.${host}:53`);

let fixture: DomainFixture;
let former: Tenant;
let next: Tenant;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  [former, next] = [await fixture.tenant(), await fixture.tenant()];
});
afterAll(() => fixture.close());

/** A name that another organization has, so that its TXT proof is read. */
async function contested(): Promise<Domain> {
  const name = fixture.freshName();
  await addVerified(fixture, former, name);
  return next.add(name);
}

const proofOf = ({ ownership }: Domain) => ownership.record?.value ?? '';

function txt({ ownershipHost }: ExpectedDns, values: readonly string[]): DnsLookup[] {
  if (ownershipHost === null) throw new Error('the job asks for no proof');
  const records = values.map((value) => ({ value, ttl: 60 }));
  return servers.flatMap((server) => [
    { name: ownershipHost, type: 'TXT', server, answer: { kind: 'found', records } },
    { name: siblingOf(ownershipHost), type: 'TXT', server, answer: { kind: 'absent' } },
  ]);
}

/** Findings of a defective worker: everything that the servers said. */
const uncut = (expected: ExpectedDns, values: readonly string[]): DnsFindings =>
  withLookups(matchingFindings(expected), txt(expected, values));

describe('an answer of DNS that is as large as one can be', () => {
  it.each<[string, (token: string) => string[]]>([
    ['spaces', () => [`x${' '.repeat(SIZE)}x`]],
    ['quotation marks', () => [`x${'"'.repeat(SIZE)}x`]],
    ['both, and backslashes', () => [`x${'" \\'.repeat(SIZE / 3)}x`]],
    ['the token amid spaces', (token) => [`x${' '.repeat(SIZE / 2)}${token}${' '.repeat(SIZE / 2)}x`]],
    ['control characters', () => ['\\000'.repeat(SIZE)]],
    ['characters of several bytes', () => ['\uFFFD'.repeat(SIZE)]],
    ['4000 records', () => Array.from({ length: 4_000 }, (_record, i) => `${i}`)],
    ['200 records of spaces', () => Array.from({ length: 200 }, (_record, i) => `${i}${' '.repeat(250)}x`)],
  ])('of %s does not fill what is shown', async (_title, valuesOf) => {
    const ours = await contested();
    await fixture.check(ours.id, (expected) => uncut(expected, valuesOf(proofOf(ours))));
    await untilIssues(next, ours.id, ['ownership_txt_missing', 'claimed_elsewhere']);
    const { text } = await fixture.api.request('GET', `/v1/projects/${next.projectId}/domains/${ours.id}`, {
      key: next.key,
    });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DOMAIN_BYTES);
  });
});

it('finds the token among any number of values', async () => {
  const ours = await contested();
  const junk = Array.from({ length: 4_000 }, (_record, i) => `${i}`);
  await fixture.check(ours.id, (expected) => {
    expect(expected.ownershipToken).toBe(proofOf(ours));
    return uncut(expected, [...junk, proofOf(ours)]);
  });
  await next.untilState(ours.id, 'verified');
  expect((await next.get(ours.id)).dns.observed).toContainEqual(
    expect.objectContaining({ omitted: expect.any(Number) }),
  );
});

it('does not take a cut value that begins like the token for the token', async () => {
  const ours = await contested();
  await fixture.check(ours.id, (expected) => uncut(expected, [`${proofOf(ours)}${'x'.repeat(SIZE)}`]));
  await untilIssues(next, ours.id, ['ownership_txt_missing', 'claimed_elsewhere']);
});

it('says that CAA records are more than is read, and asks for no certificate', async () => {
  const { id, issue } = await fixture.verified();
  const unknown = { kind: 'unknown', at: 'example.com', error: '150 records of 9750 bytes' } as const;
  const caa = { ...unknown, failures: [], reason: 'too_large' as const };
  await fixture.api.messaging.events.emit('certificate.failed', {
    ...orderOf(issue),
    stage: 'gate',
    ordered: false,
    problem: null,
    gate: gateOf(matchingFindings(issue.expected), { caa }),
    order: null,
  });
  await waitUntil(async () => (await fixture.get(id)).issues.some(({ code }) => code === 'caa_too_large'));
  expect(await fixture.get(id)).toMatchObject({ state: 'verified', certificate: { state: 'failed' } });
});

it('bounds what a defective worker says of CAA', async () => {
  const { id, issue } = await fixture.verified();
  const records = Array.from({ length: 200 }, (_record, i) => `0 issue "${i}${' '.repeat(300)}"`);
  const caa = { kind: 'forbids', at: 'example.com', records, permitting: 'x', blocking: records } as const;
  await fixture.api.messaging.events.emit('certificate.failed', {
    ...orderOf(issue),
    stage: 'gate',
    ordered: false,
    problem: null,
    gate: gateOf(matchingFindings(issue.expected), { caa: { ...caa, records: [...records], blocking: [...records] } }),
    order: null,
  });
  await waitUntil(async () => (await fixture.get(id)).issues.some(({ code }) => code === 'caa_forbids'));
  expect(Buffer.byteLength(JSON.stringify(await fixture.get(id)))).toBeLessThan(MAX_DOMAIN_BYTES);
});
