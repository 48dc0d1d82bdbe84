import { randomUUID } from 'node:crypto';
import type { components } from '@pets/client';
import type { Deployment } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { counted } from '../terminal/counted.js';
import { table } from '../terminal/table.js';
import { packFolder } from './pack-folder.js';

type Project = components['schemas']['Project'];

/** `pets projects list`. */
export const listProjects: Command<[]> = async ({ api }) => {
  const projects: readonly Project[] = await api.askAll((query) => api.http.GET('/v1/projects', { params: { query } }));
  const rows = projects.map(({ id, slug, name, url }) => [id, slug, name, url]);
  const text = table(['ID', 'SLUG', 'NAME', 'URL'], rows);
  return report('done', 'listed', `${counted(projects.length, 'project')}.`, { result: projects, text });
};

/** `pets projects create`. */
export const createProject: Command<[slug: string, options: { name?: string }]> = async (
  { api },
  slug,
  { name = slug },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const project: Project = await api.ask(api.http.POST('/v1/projects', { params, body: { name, slug } }));
  const next = [{ command: `pets deploy DIR --project ${project.id}`, when: 'to deploy a folder' }];
  return report('done', 'created', `Created project ${project.slug}.`, { result: project, next, text: project.id });
};

/** `pets deploy`. */
export const deploy: Command<[folder: string]> = async ({ api, projectId, terminal }, folder) => {
  const bundle = await packFolder(folder);
  const sizes = `${counted(bundle.files, 'file')}, ${bundle.bytes} bytes, ${bundle.gzippedTar.length} bytes compressed`;
  terminal.progress(`packed ${folder}: ${sizes}`);
  const path = { projectId };
  const deployment: Deployment = await api.ask(
    api.http.POST('/v1/projects/{projectId}/deployments', {
      params: { path, header: { 'Idempotency-Key': randomUUID() } },
      headers: { 'content-type': 'application/gzip' },
      body: new Blob([bundle.gzippedTar]),
    }),
  );
  terminal.progress(`uploaded: ${deployment.id} is ${deployment.state}`);
  const project: Project = await api.ask(api.http.GET('/v1/projects/{projectId}', { params: { path } }));
  return report('done', 'deployed', `Deployed ${folder} to ${project.url}.`, {
    result: { deployment, url: project.url },
    text: project.url,
  });
};

/** `pets deployments list`. */
export const listDeployments: Command<[]> = async ({ api, projectId }) => {
  const deployments: readonly Deployment[] = await api.ask(
    api.http.GET('/v1/projects/{projectId}/deployments', { params: { path: { projectId } } }),
  );
  const rows = deployments.map(({ id, active, state, files, bytes, createdAt }) => [
    id,
    active ? 'active' : state === 'collected' ? 'collected' : '',
    String(files),
    String(bytes),
    createdAt,
  ]);
  const text = table(['ID', 'STATE', 'FILES', 'BYTES', 'CREATED'], rows);
  return report('done', 'listed', `${counted(deployments.length, 'deployment')}.`, { result: deployments, text });
};

/** `pets deployments activate`. */
export const activateDeployment: Command<[id: string]> = async ({ api, projectId }, deploymentId) => {
  const params = { path: { projectId, deploymentId }, header: { 'Idempotency-Key': randomUUID() } };
  const deployment: Deployment = await api.ask(
    api.http.POST('/v1/projects/{projectId}/deployments/{deploymentId}/activate', { params }),
  );
  return report('done', 'activated', `Activated deployment ${deployment.id}.`, { result: deployment });
};

/** `pets deployments delete`. */
export const deleteDeployment: Command<[id: string]> = async ({ api, projectId }, deploymentId) => {
  await api.answer(
    api.http.DELETE('/v1/projects/{projectId}/deployments/{deploymentId}', {
      params: { path: { projectId, deploymentId } },
    }),
  );
  return report('done', 'deleted', `Deleted deployment ${deploymentId}. It cannot be activated again.`, {
    result: { id: deploymentId },
  });
};
