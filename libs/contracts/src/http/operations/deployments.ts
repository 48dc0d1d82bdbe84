import { z } from 'zod';
import { deploymentPathSchema, deploymentSchema, projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/deployments',
  tag: 'deployments',
  stability: 'beta',
  params: projectPathSchema,
} as const;

export const deploymentOperations = {
  listDeployments: {
    ...common,
    method: 'get',
    summary: 'List deployments',
    description: 'The newest hundred, newest first; the one that is served is among them, however old it is.',
    scope: 'projects:read',
    answers: { 200: { description: 'The deployments.', schema: z.array(deploymentSchema) } },
    errors: ['not_found'],
  },
  createDeployment: {
    ...common,
    method: 'post',
    summary: 'Deploy a bundle',
    description:
      'The bundle is checked whole before anything of it is served. It is served once this has answered. So many as `keptDeployments` says are kept; older ones are collected.',
    scope: 'projects:write',
    body: {
      mediaType: 'application/gzip',
      description:
        'A gzipped tar of plain files and folders: at most 50 MiB as sent, 200 MiB and 10 000 files unpacked, paths of ' +
        'at most 512 characters and 1 MiB together. Names are kept in Unicode form NFC; upper and lower case are different.',
    },
    answers: {
      201: { description: 'The deployment, ready.', schema: deploymentSchema, headers: ['Location'] },
    },
    errors: ['not_found', 'invalid_bundle', 'storage_limit_reached'],
  },
  activateDeployment: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}/activate',
    params: deploymentPathSchema,
    summary: 'Serve a deployment again',
    description:
      'Back to an earlier one, or forth: at once, for all domains of the project. Repeating it changes nothing.',
    scope: 'projects:write',
    answers: { 200: { description: 'The deployment, served.', schema: deploymentSchema } },
    errors: ['not_found', 'deployment_collected'],
  },
  deleteDeployment: {
    ...common,
    method: 'delete',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}',
    params: deploymentPathSchema,
    summary: 'Delete a deployment',
    description:
      'It cannot be served again. Its files are deleted after about a day, where no other deployment has them; until then ' +
      'they count. Repeating it changes nothing.',
    scope: 'projects:write',
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;
