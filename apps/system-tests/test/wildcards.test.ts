/** A wildcard and names below it, on a complete stack: DNS-01 at the CA, the feed, and visitors over TLS. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { addDomain, at, getDomain } from './domain-steps.js';
import { openShared, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

const BASE = 'wild-stack.com';
const WILDCARD = `*.${BASE}`;

let owner: StackFixture;
let ca: string;

beforeAll(async () => {
  owner = await openShared();
  ca = await readFile(owner.stack.dev.caCertificatePath, 'utf8');
});

/** The name of the certificate that an edge presents for a host. */
function presentedName(host: string): Promise<string | undefined> {
  const { hostname, port } = new URL(owner.stack.dev.edgeHttpsUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername: host, ca }, () => {
      resolve(socket.getPeerX509Certificate()?.subjectAltName);
      socket.end();
    });
    socket.once('error', reject);
  });
}

const untilLive = (name: string) =>
  waitUntil(async () => (await getDomain(owner, name)).state === 'live', {
    timeoutMs: 60_000,
    message: `${name} to be live`,
  });
const verify = (name: string) => owner.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(owner, name));

function remove(name: string, exclude = false) {
  const { params } = at(owner, name);
  return owner.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', {
    params: { ...params, ...(exclude && { query: { exclude } }) },
  });
}

describe('a wildcard', () => {
  it('serves every name that it covers with one certificate, after both records are there', async () => {
    const target = await addDomain(owner, WILDCARD);
    const delegation = (await getDomain(owner, WILDCARD)).records.find(({ purpose }) => purpose === 'delegation');
    expect(delegation).toMatchObject({ type: 'CNAME', name: '_acme-challenge' });
    await owner.createRecord(WILDCARD, target);
    await verify(WILDCARD);
    const isMissing = async () =>
      (await getDomain(owner, WILDCARD)).issues.some(({ code }) => code === 'delegation_missing');
    await waitUntil(isMissing, { timeoutMs: 30_000, message: 'the missing delegation to be reported' });
    await owner.createRecord(`_acme-challenge.${BASE}`, delegation?.value ?? '');
    await verify(WILDCARD);
    await untilLive(WILDCARD);
    for (const name of [`a.${BASE}`, `b.${BASE}`]) {
      expect((await owner.visitor.visit(name)).status).toBe(200);
      expect(await presentedName(name)).toBe(`DNS:${WILDCARD}`);
    }
    for (const name of [BASE, `a.b.${BASE}`]) await expect(owner.visitor.visit(name)).rejects.toThrow();
  });

  it('gives way to an exact name, which needs no record and no pause', async () => {
    const name = `a.${BASE}`;
    await addDomain(owner, name);
    let isExact = false;
    const isServedByItself = async () => {
      expect((await owner.visitor.visit(name)).status).toBe(200);
      isExact = (await presentedName(name)) === `DNS:${name}`;
      return isExact && (await getDomain(owner, name)).state === 'live';
    };
    await waitUntil(isServedByItself, { timeoutMs: 60_000, message: 'the exact name to be live' });
    expect(await presentedName(`b.${BASE}`)).toBe(`DNS:${WILDCARD}`);
  });

  it('serves a removed name again, unless it is excluded', async () => {
    const name = `a.${BASE}`;
    const removed = await remove(name);
    expect([removed.response.status, removed.data?.coveredBy]).toEqual([200, WILDCARD]);
    expect(await presentedName(name)).toBe(`DNS:${WILDCARD}`);

    expect((await remove(name, true)).response.status).toBe(204);
    await expect(owner.visitor.visit(name)).rejects.toThrow();
    expect((await owner.visitor.visit(`b.${BASE}`)).status).toBe(200);

    const { params } = at(owner, WILDCARD);
    const lifted = await owner.pets.DELETE('/v1/projects/{projectId}/domains/{domain}/exclusions/{name}', {
      params: { path: { ...params.path, name } },
    });
    expect(lifted.response.status).toBe(204);
    const isServed = () =>
      owner.visitor.visit(name).then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitUntil(isServed, { timeoutMs: 30_000, message: 'the name to be served again' });
  });

  it('stops every name at once when it is removed, and no other', async () => {
    const kept = `kept.${BASE}`;
    await addDomain(owner, kept);
    await untilLive(kept);
    expect((await remove(WILDCARD)).response.status).toBe(204);
    for (const name of [`a.${BASE}`, `b.${BASE}`]) await expect(owner.visitor.visit(name)).rejects.toThrow();
    expect((await owner.visitor.visit(kept)).status).toBe(200);
  });
});
