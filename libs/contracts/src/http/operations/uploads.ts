import { bundleLimits, createdDeploymentSchema, newDeploymentSchema } from '../deployments.js';
import { projectPathSchema } from '../projects.js';
import { deploymentUploadSchema, uploadLimits, uploadPathSchema } from '../uploads.js';
import type { Operations } from './operation.js';

const common = {
  method: 'post',
  tag: 'deployments',
  stability: 'beta',
  scope: 'projects:write',
} as const;

export const uploadOperations = {
  createUpload: {
    ...common,
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
    ...common,
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
    ...common,
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
