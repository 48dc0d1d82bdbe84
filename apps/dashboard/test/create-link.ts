import type { DashboardFixture } from './dashboard-fixture.js';

interface OpenLink {
  readonly url: string;
  readonly id: string;
  /** Value of the CNAME that the domain needs. */
  readonly target: string;
}

/** Adds a domain, and creates a link for it. */
export async function createLink(
  { pets, dev }: DashboardFixture,
  name: string,
  { pair = false, returnUrl }: { readonly pair?: boolean; readonly returnUrl?: string } = {},
): Promise<OpenLink> {
  const path = { projectId: dev.projectId };
  const { data: added } = await pets.POST('/v1/projects/{projectId}/domains', {
    params: { path },
    body: { name, pair },
  });
  const { data: link } = await pets.POST('/v1/projects/{projectId}/domains/{domain}/setup-links', {
    params: { path: { ...path, domain: name } },
    body: { expiresIn: 3_600, ...(returnUrl !== undefined && { returnUrl }) },
  });
  if (added === undefined || link === undefined) throw new Error(`no link for ${name}`);
  return { url: link.url, id: link.id, target: added.records[0]?.value ?? '' };
}
