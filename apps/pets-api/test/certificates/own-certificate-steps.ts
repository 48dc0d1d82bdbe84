import type { ApiError, CertificateChoice, Domain } from '@pets/contracts';
import { waitUntil, type TestLeaf } from '@pets/testing';
import { sql } from 'kysely';
import type { DomainFixture } from '../domain-fixture.js';
import type { ApiResponse } from '../harness.js';

/** The steps that tests of uploaded certificates are made of. */
export function ownCertificateSteps(fixture: DomainFixture) {
  const { api } = fixture;
  const pathOf = (id: string, projectId?: string) => `${fixture.path(projectId)}/${id}/certificate`;
  const get = async (id: string) =>
    (await api.request<CertificateChoice>('GET', pathOf(id), { key: fixture.key })).body;

  return {
    /** A verified domain with an automatic certificate. */
    issued: async (): Promise<{ id: string; name: string }> => {
      const { id, name, issue } = await fixture.verified();
      await fixture.sign(issue, name);
      await waitUntil(async () => (await fixture.get(id)).certificate?.state === 'issued', { timeoutMs: 15_000 });
      return { id, name };
    },
    pathOf,
    get,
    /** Uploads a certificate of a private CA, unless more says otherwise. */
    upload: <Body = CertificateChoice>(
      id: string,
      { chainPem: certificate, keyPem: privateKey }: Pick<TestLeaf, 'chainPem' | 'keyPem'>,
      more: object = {},
      as: { key?: string; projectId?: string } = {},
    ): Promise<ApiResponse<Body>> => {
      const body = { certificate, privateKey, trust: 'private', ...more };
      return api.request<Body>('PUT', pathOf(id, as.projectId), { key: as.key ?? fixture.key, body });
    },
    prefer: (id: string, prefer: string) =>
      api.request<CertificateChoice>('PATCH', pathOf(id), { key: fixture.key, body: { prefer } }),
    remove: (id: string, query = '') => api.request<ApiError>('DELETE', `${pathOf(id)}${query}`, { key: fixture.key }),
    untilOwn: async (id: string, isSo: (own: NonNullable<CertificateChoice['own']>) => boolean) => {
      const check = async () => {
        const { own } = await get(id);
        return own !== null && isSo(own);
      };
      await waitUntil(check, { timeoutMs: 15_000, message: 'the uploaded certificate to change' });
    },
    /** The certificate in the published route of a name. */
    routedId: async (name: string): Promise<string | null> => {
      const { rows } = await sql<{ id: string | null }>`
        select route->>'certificateId' as id from edge_routes where host = ${name}`.execute(api.db);
      return rows[0]?.id ?? null;
    },
    codesOf: ({ issues }: Domain) => issues.map(({ code }) => code),
  };
}
