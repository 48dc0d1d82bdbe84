import { z } from 'zod';
import { deploymentSchema, projectPathSchema } from '../projects.js';
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
    description: 'The newest hundred, newest first.',
    scope: 'projects:read',
    answers: { 200: { description: 'The deployments.', schema: z.array(deploymentSchema) } },
    errors: ['not_found'],
  },
  createDeployment: {
    ...common,
    method: 'post',
    summary: 'Deploy a bundle',
    description: 'The bundle is checked whole before anything of it is served. It is served once this has answered.',
    scope: 'projects:write',
    body: {
      mediaType: 'application/gzip',
      description:
        'A gzipped tar of plain files and folders: at most 50 MiB as sent, 200 MiB and 10 000 files unpacked, paths of ' +
        'at most 512 characters.',
    },
    answers: {
      201: { description: 'The deployment, ready.', schema: deploymentSchema, headers: ['Location'] },
    },
    errors: ['not_found', 'invalid_bundle'],
  },
} as const satisfies Operations;
