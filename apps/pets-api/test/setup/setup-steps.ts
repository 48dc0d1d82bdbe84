import type { CreatedSetupLink, Domain, NewSetupLink, Setup, SetupSession } from '@pets/contracts';
import type { DomainFixture, Tenant } from '../domain-fixture.js';
import type { ApiResponse, RequestOptions } from '../harness.js';

/** Requests of a browser without an account, and of the member who made its link. */
export interface SetupSteps {
  /** The path of the set-up links of a domain. */
  linksOf(domain: Pick<Domain, 'id'>): string;
  create(domain: Pick<Domain, 'id'>, body?: Partial<NewSetupLink>): Promise<ApiResponse<CreatedSetupLink>>;
  /** Makes a link and opens it. @returns the token of its page */
  open(domain: Pick<Domain, 'id'>): Promise<string>;
  exchange(token: string): Promise<ApiResponse<SetupSession>>;
  /** A request below `/v1/setup`. */
  ask<Body = Setup>(method: string, path: string, token: string, more?: RequestOptions): Promise<ApiResponse<Body>>;
}

/** The token in the fragment of a link. */
export function tokenOf({ url }: Pick<CreatedSetupLink, 'url'>): string {
  return new URL(url).hash.slice(1);
}

export function setupSteps({ api }: DomainFixture, { key, projectId }: Pick<Tenant, 'key' | 'projectId'>): SetupSteps {
  const linksOf: SetupSteps['linksOf'] = ({ id }) => `/v1/projects/${projectId}/domains/${id}/setup-links`;
  const create: SetupSteps['create'] = (domain, body = {}) => api.request('POST', linksOf(domain), { key, body });
  const exchange: SetupSteps['exchange'] = (token) =>
    api.request('POST', '/v1/setup/sessions', { body: { token }, headers: {} });
  return {
    linksOf,
    create,
    exchange,
    open: async (domain) => (await exchange(tokenOf((await create(domain)).body))).body.token,
    ask: (method, path, token, more = {}) => api.request(method, path, { key: token, ...more }),
  };
}
