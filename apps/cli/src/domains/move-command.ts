import { randomUUID } from 'node:crypto';
import { displayName, type Domain } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { findProject } from '../projects/find-project.js';
import { shellWord } from '../terminal/shell-word.js';
import { presentDomain } from './present-domain.js';

export interface MoveOptions {
  /** Id or slug. */
  readonly to: string;
  readonly withRedirects?: true;
}

/** Moves a domain of the project to another one. */
export const moveDomain: Command<[name: string, options: MoveOptions]> = async (
  { api, findProjectId, terminal },
  name,
  { to, withRedirects = false },
) => {
  const projectId = await findProjectId();
  const target = await findProject(api, to);
  const params = { path: { projectId, domain: name }, header: { 'Idempotency-Key': randomUUID() } };
  const body = { projectId: target.id, redirects: withRedirects ? ('move' as const) : ('refuse' as const) };
  const moved: Domain = await api.data(
    api.http.POST('/v1/projects/{projectId}/domains/{domain}/move', { params, body }),
  );
  return report('done', 'moved', `Moved ${displayName(moved)} to the project ${target.slug}.`, {
    result: moved,
    issues: moved.issues,
    next: [{ command: `pets domains show ${shellWord(moved.name)} --project ${target.id}`, when: 'to see its state' }],
    text: presentDomain(moved, terminal),
  });
};
