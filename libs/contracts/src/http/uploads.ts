import { z } from 'zod';
import { bundleLimits, ignoredFilesSchema } from './deployments.js';
import { projectExample, projectPathSchema } from './projects.js';
import { instantSchema } from './scalars.js';

const MIB = 1024 * 1024;

export const uploadLimits = {
  /** Bytes of a manifest, unpacked: paths, hashes and sizes of as many files as a bundle may have. */
  manifestBytes: 4 * MIB,
  /** Uploads of a project that are open. Another one ends the oldest. */
  openOfProject: 10,
} as const;

const uploadId = '3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10';

/** Path of an upload. */
export const uploadPathSchema = projectPathSchema.extend({
  uploadId: z.uuid().meta({ description: 'The id of the upload.', example: uploadId }),
});

/** A line of a manifest. */
export const manifestFileSchema = z
  .strictObject({
    path: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 in hexadecimal, in lower case' }),
    bytes: z.int().min(0).max(bundleLimits.unpackedBytes),
  })
  .readonly();

export type ManifestFile = z.infer<typeof manifestFileSchema>;

/** An upload that sends what the project lacks. */
export const deploymentUploadSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    expiresAt: instantSchema,
    lacking: z
      .array(z.string())
      .readonly()
      .describe('Files whose contents are to be sent, by their paths; one path of each content.'),
    ignored: ignoredFilesSchema,
  })
  .readonly()
  .meta({
    id: 'DeploymentUpload',
    description: 'A deployment whose files are being sent.',
    example: {
      id: uploadId,
      projectId: projectExample.id,
      expiresAt: '2026-11-02T10:05:00.000Z',
      lacking: ['index.html'],
      ignored: { count: 0, paths: [] },
    },
  });

export type DeploymentUpload = z.infer<typeof deploymentUploadSchema>;
