import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type Tenant } from '@pets/lab';
import { issuePlatformCertificate, openAuthority } from '@pets/testing/dev-ca';
import type { Attack, FairFixture } from '../fair-fixture.js';
import { createDomains, send } from './bursts.js';

const CERTIFICATES = 500;
/** Each upload is stored as its row; the seeded rows are uploaded again when their check has ended. */
const UPLOADS_EVERY_MS = 1_000;

/** Certificates are uploaded whose revocation lists are at servers that accept connections and say nothing. */
export const hangingLists: Attack = {
  name: 'hanging-lists',
  victim: 'live',
  prepare: async (fixture) => {
    const { port, close } = await startSilentServer();
    const tenant = fixture.stack.createTenant('pro');
    const domains = await createDomains(fixture, tenant, CERTIFICATES);
    const authority = await openAuthority(join(fixture.stack.folder, 'uploads-ca'));
    const { certificatePem } = await issuePlatformCertificate(authority, ['uploaded.example.org']);
    const issuer = /-----END CERTIFICATE-----\s*(-----BEGIN[\s\S]*)$/.exec(certificatePem)?.[1] ?? '';
    const rows = domains.map(({ id }, index) => ({
      ...{ id: randomUUID(), domain: id, serial: (index + 16).toString(16).padStart(4, '0') },
      urls: Array.from({ length: 3 }, (_, url) => `http://l${index}x${url}.localhost:${port}/list.crl`),
    }));
    await fixture.db.query(
      `insert into certificates (id, origin, domain_id, organization_id, state, is_preferred, trust, chain_pem, sealed_key,
         leaf_sha256, serial_number, issuer, names, not_before, not_after, crl_urls, crl_issuer_pem, is_renewal,
         check_attempt, check_failures)
       select g.id, 'uploaded', g.domain, $1, 'checking', true, 'private', $3, '', g.serial, g.serial, 'Uploads',
         '{uploaded.example.org}', now(), now() + interval '80 days', g.urls, $4, null, 0, 0
       from jsonb_to_recordset($2::jsonb) as g (id uuid, domain uuid, serial text, urls text[])`,
      [tenant.organizationId, JSON.stringify(rows), certificatePem, issuer],
    );
    const upload = () =>
      fixture.db.query(
        `update certificates set state = 'checking', check_due_at = now()
         where organization_id = $1 and origin = 'uploaded' and (check_due_at is null or check_due_at > now() + interval '1 minute')`,
        [tenant.organizationId],
      );
    return {
      run: async (signal) => {
        while (!signal.aborted) {
          await upload();
          await fixture.db.query(`select pg_notify('revocation_checks', '')`);
          await sleep(UPLOADS_EVERY_MS);
        }
      },
      close,
    };
  },
};

const NAMES = 600;
const CLICK_EVERY_MS = 70;
const DAY_MS = 86_400_000;

/** Names whose zones never answer are added, and clicked again and again. */
export const hangingZones: Attack = {
  name: 'hanging-zones',
  victim: 'checked',
  prepare: async (fixture) => {
    const tenant = fixture.stack.createTenant('pro');
    const label = tenant.organizationId.slice(0, 8);
    const named = Array.from({ length: NAMES }, (_, index) => ({
      name: `www.h${index}-${label}.org`,
      token: `h${label}x${index}`,
    }));
    for (const { name } of named)
      for (const silent of [name, name.slice('www.'.length), `_platform-challenge.${name}`])
        fixture.stack.issuing.dns.fail({ name: silent, rcode: 'TIMEOUT' });
    const domains = await seedDomains(fixture.db, tenant.organizationId, named, new Date(Date.now() + DAY_MS));
    const click = (index: number) => {
      const domain = domains[index % domains.length];
      if (domain === undefined) throw new Error('there is no domain');
      return send(fixture, tenant, {
        method: 'POST',
        path: `/v1/projects/${domain.projectId}/domains/${domain.id}/verify`,
      });
    };
    let clicked = 0;
    return {
      run: async (signal) => {
        const due = `update domain_work set due_at = now() where organization_id = $1`;
        await fixture.db.query(due, [tenant.organizationId]);
        await fixture.db.query(`select pg_notify('domain_work', '')`);
        const clicks: Promise<unknown>[] = [];
        for (; !signal.aborted; await sleep(CLICK_EVERY_MS)) clicks.push(click(clicked++));
        await Promise.all(clicks);
      },
    };
  },
};

const TENANTS = 10;
const ENDPOINTS = 20;
const PETS = 60;

/** Tenants on the free plan whose receivers accept connections and say nothing. */
export const silentReceivers: Attack = {
  name: 'silent-receivers',
  victim: 'delivery',
  prepare: async (fixture) => {
    const { port, close } = await startSilentServer();
    const tenants = Array.from({ length: TENANTS }, () => fixture.stack.createTenant('free'));
    for (const tenant of tenants)
      for (let number = 0; number < ENDPOINTS; number++)
        await addPet(fixture, tenant, 'webhook-endpoints', {
          url: `http://e${number}-${tenant.organizationId}.localhost:${port}/`,
          eventTypes: ['pet.created'],
        });
    return {
      run: async (signal) => {
        for (let count = 0; count < PETS && !signal.aborted; count++)
          await Promise.all(tenants.map((tenant) => addPet(fixture, tenant, 'pets', { name: 'Rex', categoryId: 1 })));
        await sleep(60 * 60_000, undefined, { signal }).catch(() => undefined);
      },
      close,
    };
  },
};

async function addPet({ apiUrl }: FairFixture, { apiKey }: Tenant, path: string, body: object): Promise<void> {
  const response = await fetch(`${apiUrl}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** A server that accepts connections and says nothing, on this machine. */
async function startSilentServer(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  return { port, close: async () => void server.close() };
}
