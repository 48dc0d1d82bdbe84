import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issuePlatformCertificate, openAuthority } from '@pets/dev-stack';
import type { Attack } from '../attack.js';
import { createDomains } from './projects-of-a-tenant.js';
import { startSilentServer } from './silent-server.js';

const CERTIFICATES = 500;
/** Each upload is stored as its row; the seeded rows are uploaded again when their check has ended. */
const UPLOADS_EVERY_MS = 1_000;

/** Certificates are uploaded whose revocation lists are at servers that accept connections and say nothing. */
export const hangingLists: Attack = {
  name: 'hanging-lists',
  victim: 'live',
  prepare: async (fixture) => {
    const { port, close } = await startSilentServer();
    const tenant = fixture.createTenant('pro');
    const domains = await createDomains(fixture, tenant, CERTIFICATES);
    const authority = await openAuthority(join(fixture.certificates.engine.folder, 'uploads-ca'));
    const { certificatePem } = await issuePlatformCertificate(authority, ['uploaded.example.org']);
    const issuer = /-----END CERTIFICATE-----\s*(-----BEGIN[\s\S]*)$/.exec(certificatePem)?.[1] ?? '';
    const rows = domains.map(({ id }, index) => ({
      ...{ id: randomUUID(), domain: id, serial: (index + 16).toString(16).padStart(4, '0') },
      urls: Array.from({ length: 3 }, (_, url) => `http://l${index}x${url}.localhost:${port}/list.crl`),
    }));
    await fixture.db.query(
      `insert into own_certificates (id, domain_id, organization_id, state, is_preferred, trust, chain_pem, sealed_key,
         leaf_sha256, serial_number, issuer, names, not_before, not_after, created_at, crl_urls, crl_issuer_pem)
       select g.id, g.domain, $1, 'checking', true, 'private', $3, '', g.serial, g.serial, 'Uploads',
         '{uploaded.example.org}', now(), now() + interval '80 days', now(), g.urls, $4
       from jsonb_to_recordset($2::jsonb) as g (id uuid, domain uuid, serial text, urls text[])`,
      [tenant.organizationId, JSON.stringify(rows), certificatePem, issuer],
    );
    const upload = () =>
      fixture.db.query(
        `update own_certificates set state = 'checking', check_due_at = now()
         where organization_id = $1 and (check_due_at is null or check_due_at > now() + interval '1 minute')`,
        [tenant.organizationId],
      );
    return {
      run: async (signal) => {
        while (!signal.aborted) {
          await upload();
          await fixture.db.query(`select pg_notify('own_certificates', '')`);
          await sleep(UPLOADS_EVERY_MS);
        }
      },
      close,
    };
  },
};
