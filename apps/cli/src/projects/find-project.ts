import type { components } from '@pets/client';
import { z } from 'zod';
import type { Api } from '../api/api.js';
import { CommandFailure, report, usageFailure } from '../outcome/outcome.js';

export type Project = components['schemas']['Project'];

/** An id, or a slug, which is unique. Anything else could change the path of a request. */
const projectNameSchema = z.union([z.uuid(), z.string().regex(/^[a-z0-9-]{1,63}$/)]);

/** Few enough to read in an error message. */
const NAMED_PROJECTS = 5;

/** @throws CommandFailure when there is no project with the id or slug */
export async function findProject(api: Api, idOrSlug: string): Promise<Project> {
  if (isProjectId(idOrSlug))
    return api.data(api.http.GET('/v1/projects/{projectId}', { params: { path: { projectId: idOrSlug } } }));
  if (!projectNameSchema.safeParse(idOrSlug).success)
    throw usageFailure('invalid_project', `Invalid project ${idOrSlug}: use its ID or its slug.`);
  const similar: readonly Project[] = await api.allPages((page) =>
    api.http.GET('/v1/projects', { params: { query: { q: idOrSlug, ...page } } }),
  );
  const found = similar.find(({ slug }) => slug === idOrSlug);
  if (found !== undefined) return found;
  throw new CommandFailure(report('refused', 'not_found', `There is no project with the ID or slug ${idOrSlug}.`));
}

/** The project of an organization that has one. @throws CommandFailure `usage` when it has none or several */
export async function findOnlyProject(api: Api): Promise<Project> {
  const query = { limit: NAMED_PROJECTS };
  const projects: readonly Project[] = await api.data(api.http.GET('/v1/projects', { params: { query } }));
  const [only, second] = projects;
  if (only === undefined)
    throw usageFailure('project_missing', 'The organization has no project: run pets projects create SLUG.');
  if (second === undefined) return only;
  const slugs = projects.map(({ slug }) => slug).join(', ');
  throw usageFailure(
    'project_missing',
    `The organization has several projects, such as ${slugs}: pass --project SLUG or set PETS_PROJECT.`,
  );
}

/** Whether a text is the id of a project, which needs no look-up. */
export function isProjectId(text: string): boolean {
  return z.uuid().safeParse(text).success;
}
