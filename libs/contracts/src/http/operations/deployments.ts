import { z } from 'zod';
import {
  bundleLimits,
  createdDeploymentSchema,
  deploymentChangesQuerySchema,
  deploymentChangesSchema,
  deploymentPathSchema,
  deploymentSchema,
  deploymentUploadSchema,
  deploymentWithEdgesSchema,
  listDeploymentsQuerySchema,
  newDeploymentSchema,
  uploadLimits,
  uploadPathSchema,
} from '../deployments.js';
import { explainQuerySchema, explanationSchema } from '../explanations.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/deployments',
  tag: 'deployments',
  stability: 'beta',
  params: projectPathSchema,
} as const;

export const deploymentOperations = {
  explainUrl: {
    ...common,
    path: '/v1/projects/{projectId}/explain',
    method: 'get',
    summary: 'Explain a URL',
    description:
      'What a browser gets at a URL of the project, redirect by redirect, and which rule, file or setting decided it. Nothing is requested: the answer is worked out from what was published to the edges.',
    scope: 'projects:read',
    query: explainQuerySchema,
    answers: { 200: { description: 'Each answer until a page.', schema: explanationSchema } },
    errors: ['not_found'],
  },
  listDeployments: {
    ...common,
    method: 'get',
    summary: 'List deployments',
    description:
      'Newest first. Without `limit`, the newest hundred and always the one that is served. `Link` points to the next page.',
    scope: 'projects:read',
    query: listDeploymentsQuerySchema,
    answers: {
      200: { description: 'A page of deployments.', schema: z.array(deploymentSchema), headers: ['Link'] },
    },
    errors: ['not_found', 'invalid_cursor'],
  },
  createDeployment: {
    ...common,
    method: 'post',
    summary: 'Deploy a bundle',
    description:
      'The complete bundle is checked before any of it is served. It is served once this operation answers, with `channel` only there. A project keeps its newest deployments, as many as `keptDeployments`; older ones are collected.',
    scope: 'projects:write',
    query: newDeploymentSchema,
    body: {
      mediaTypes: ['application/gzip'],
      maxBytes: bundleLimits.compressedBytes,
      description:
        'A gzipped tar archive of plain files and folders: at most 50 MiB as sent, 200 MiB and 10 000 files unpacked, paths of ' +
        'at most 512 characters each and 1 MiB together. Names are stored in Unicode form NFC and are case-sensitive. Links, ' +
        'sparse files and special files are refused, and so are files that may be secrets: those in `.git/`, `.env` and ' +
        '`.env.*` but for `.example`, `.sample` and `.template`, and private keys in PEM form. `allow` publishes such a file. ' +
        'The answer lists files that operating systems add, which are left out. All other files are published, ' +
        '`.well-known/` too, but for `_redirects` and `_headers` at the root, which say what the site answers; a line that cannot ' +
        'be applied refuses the bundle.',
    },
    answers: {
      201: { description: 'The new deployment.', schema: createdDeploymentSchema, headers: ['Location'] },
    },
    errors: ['not_found', 'invalid_bundle', 'storage_limit_reached', 'channel_limit_reached', 'name_reserved'],
  },
  getDeployment: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}',
    params: deploymentPathSchema,
    summary: 'Get a deployment',
    description: 'Returns a deployment, and whether every edge serves it.',
    scope: 'projects:read',
    answers: { 200: { description: 'The deployment.', schema: deploymentWithEdgesSchema } },
    errors: ['not_found'],
  },
  getDeploymentChanges: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}/changes',
    params: deploymentPathSchema,
    summary: 'Compare deployments',
    description: 'The files that a deployment adds, changes and removes. Both deployments must be kept.',
    scope: 'projects:read',
    query: deploymentChangesQuerySchema,
    answers: { 200: { description: 'The differences.', schema: deploymentChangesSchema } },
    errors: ['not_found', 'deployment_collected'],
  },
  activateDeployment: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}/activate',
    params: deploymentPathSchema,
    summary: 'Serve a deployment again',
    description:
      'Makes an earlier or later deployment the served one, immediately and for all domains of the project. Idempotent.',
    scope: 'projects:write',
    answers: { 200: { description: 'The deployment, which is now served.', schema: deploymentSchema } },
    errors: ['not_found', 'deployment_collected'],
  },
  deleteDeployment: {
    ...common,
    method: 'delete',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}',
    params: deploymentPathSchema,
    summary: 'Delete a deployment',
    description:
      'A deleted deployment cannot be served again. Files that no other deployment has are deleted after about a day; until ' +
      'then they count as stored bytes. Refused for one that is served. Idempotent.',
    scope: 'projects:write',
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;

const uploading = {
  method: 'post',
  tag: 'deployments',
  stability: 'beta',
  scope: 'projects:write',
} as const;

export const uploadOperations = {
  createUpload: {
    ...uploading,
    path: '/v1/projects/{projectId}/uploads',
    params: projectPathSchema,
    isRepeatable: true,
    summary: 'Begin an upload',
    description:
      'Takes the list of the files of a deployment and says which contents to send: those that no kept deployment of the ' +
      'project has, and always `_redirects` and `_headers`. The limits and refusals are those of createDeployment. An ' +
      `upload is open for an hour, and a project can have ${uploadLimits.openOfProject} of them; another one ends the oldest.`,
    query: newDeploymentSchema,
    body: {
      mediaTypes: ['application/x-ndjson'],
      maxBytes: uploadLimits.manifestBytes,
      mayBeGzipped: true,
      description:
        'The manifest: a JSON object with `path`, `sha256` (hexadecimal) and `bytes` for each file, in a line of its own. At ' +
        'most 4 MiB. `Content-Encoding: gzip` is supported.',
    },
    answers: { 201: { description: 'The upload.', schema: deploymentUploadSchema } },
    errors: ['not_found', 'invalid_bundle', 'storage_limit_reached'],
  },
  sendUploadFiles: {
    ...uploading,
    path: '/v1/projects/{projectId}/uploads/{uploadId}/files',
    params: uploadPathSchema,
    isRepeatable: true,
    summary: 'Send files of an upload',
    description:
      'Can be repeated, with the same files or others. A file that the manifest does not have, or has otherwise, refuses ' +
      'the archive, and so does a line of `_redirects` or `_headers` that cannot be applied.',
    body: {
      mediaTypes: ['application/gzip'],
      maxBytes: bundleLimits.compressedBytes,
      description:
        'A gzipped tar archive of at most 50 MiB, as for createDeployment, with any of the files of the manifest.',
    },
    answers: { 200: { description: 'The upload, and what it still lacks.', schema: deploymentUploadSchema } },
    errors: ['not_found', 'conflict', 'invalid_bundle', 'storage_limit_reached'],
  },
  completeUpload: {
    ...uploading,
    path: '/v1/projects/{projectId}/uploads/{uploadId}/deployment',
    params: uploadPathSchema,
    summary: 'Deploy an upload',
    description:
      'Creates the deployment and serves it, as createDeployment does with an archive of all files. Repeated, it answers ' +
      'with the same deployment.',
    answers: {
      201: { description: 'The new deployment.', schema: createdDeploymentSchema, headers: ['Location'] },
    },
    errors: [
      'not_found',
      'upload_incomplete',
      'invalid_bundle',
      'storage_limit_reached',
      'channel_limit_reached',
      'name_reserved',
    ],
  },
} as const satisfies Operations;
