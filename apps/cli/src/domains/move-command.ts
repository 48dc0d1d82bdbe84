import { randomUUID } from 'node:crypto';
import type { components } from '@pets/client';
import { displayName, type Domain } from '@pets/contracts';
import { z } from 'zod';
import type { Api } from '../api/api.js';
import type { Command } from '../command.js';
import { CommandFailure, report } from '../outcome/outcome.js';
import { presentDomain } from './present-domain.js';

export interface MoveOptions {
  /** Id or slug. */
  readonly to: string;
  readonly withRedirects?: true;
}

type Project = components['schemas']['Project'];

/** Moves a domain of the project to another one. */
export const moveDomain: Command<[name: string, options: MoveOptions]> = async (
  { api, projectId, terminal },
  name,
  { to, withRedirects = false },
) => {
  const target = await findProject(api, to);
  const params = { path: { projectId, domain: name }, header: { 'Idempotency-Key': randomUUID() } };
  const body = { projectId: target.id, redirects: withRedirects ? ('move' as const) : ('refuse' as const) };
  const moved: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/move', { params, body }),
  );
  return report('done', 'moved', `Moved ${displayName(moved)} to the project ${target.slug}.`, {
    result: moved,
    issues: moved.issues,
    next: [{ command: `pets domains show ${moved.name} --project ${target.id}`, when: 'to see its state' }],
    text: presentDomain(moved, terminal.onStdout),
  });
};

/** @throws CommandFailure when there is no project with the id or slug */
async function findProject(api: Api, idOrSlug: string): Promise<Project> {
  if (z.uuid().safeParse(idOrSlug).success)
    return api.data(api.http.GET('/v1/projects/{projectId}', { params: { path: { projectId: idOrSlug } } }));
  const similar: readonly Project[] = await api.allPages((page) =>
    api.http.GET('/v1/projects', { params: { query: { q: idOrSlug, ...page } } }),
  );
  const found = similar.find(({ slug }) => slug === idOrSlug);
  if (found !== undefined) return found;
  throw new CommandFailure(report('refused', 'not_found', `There is no project with the ID or slug ${idOrSlug}.`));
}
