import type { Hsts } from '@pets/contracts';
import type { Command } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { presentFacts } from '../terminal/facts.js';
import type { Project } from './find-project.js';

export interface UpdateOptions {
  readonly name?: string;
  /** The maximum age in seconds; false: no header. */
  readonly hsts?: number | false;
  readonly hstsSubdomains?: true;
  readonly hstsPreload?: true;
}

export const showProject: Command<[]> = async ({ findProject }) => {
  const project = await findProject();
  return report('done', 'shown', `Project ${project.slug}.`, { result: project, text: presentProject(project) });
};

/** Changes the name of a project, and the Strict-Transport-Security header of its domains. */
export const updateProject: Command<[options: UpdateOptions]> = async (
  { api, findProjectId },
  { name, hsts, hstsSubdomains = false, hstsPreload = false },
) => {
  if (name === undefined && hsts === undefined)
    throw usageFailure('nothing_to_change', 'Nothing to change: pass --name NAME or --hsts SECONDS.');
  const header: Hsts | null =
    typeof hsts === 'number' ? { maxAge: hsts, includeSubDomains: hstsSubdomains, preload: hstsPreload } : null;
  const body = { ...(name !== undefined && { name }), ...(hsts !== undefined && { hsts: header }) };
  const params = { path: { projectId: await findProjectId() } };
  const project: Project = await api.data(api.http.PATCH('/v1/projects/{projectId}', { params, body }));
  return report('done', 'changed', `Changed project ${project.slug}.`, {
    result: project,
    text: presentProject(project),
  });
};

function presentProject({ id, slug, name, url, hsts }: Project): string {
  return presentFacts([
    ['project', id],
    ['slug', slug],
    ['name', name],
    ['URL', url],
    ['HSTS', hsts === null ? 'not sent' : headerOf(hsts)],
  ]);
}

function headerOf({ maxAge, includeSubDomains, preload }: NonNullable<Project['hsts']>): string {
  return [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ].join('; ');
}
