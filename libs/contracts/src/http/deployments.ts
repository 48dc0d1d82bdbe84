import { z } from 'zod';
import { deploymentAuthorKinds, deploymentStates } from '../enums.js';
import { channelAccesses, channelNameSchema } from './channels.js';
import { optionalPageParameters } from './page.js';
import { projectExample, projectPathSchema } from './projects.js';
import { instantSchema, textSchema } from './scalars.js';

const MIB = 1024 * 1024;

/** Limits of a bundle of files. */
export const bundleLimits = {
  /** Size as sent, gzipped. */
  compressedBytes: 50 * MIB,
  /** All files together. */
  unpackedBytes: 200 * MIB,
  files: 10_000,
  /** In UTF-16 code units. */
  pathLength: 512,
  /** All paths together, in UTF-8. It bounds the memory of the file index, however small the files are. */
  pathBytes: MIB,
} as const;

const deploymentId = '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2';

/** Path of a deployment. */
export const deploymentPathSchema = projectPathSchema.extend({
  deploymentId: z.uuid().meta({ description: 'The id of the deployment.', example: deploymentId }),
});

const message = textSchema(200);

const branch = textSchema(200).describe('The branch of the repository.');
const commit = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, { error: 'must have 7 to 64 hexadecimal digits in lower case' })
  .describe('The commit, in hexadecimal.');
const sourceUrl = z
  .string()
  .max(500)
  .regex(/^https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][!-~]*)?$/, { error: 'must be an https URL' })
  .describe('Where people see the source, or the run that built it.');

const deploymentSourceSchema = z
  .object({ branch: branch.nullable(), commit: commit.nullable(), url: sourceUrl.nullable() })
  .readonly()
  .meta({ id: 'DeploymentSource', description: 'Where the files of a deployment come from, as its author says.' });

export type DeploymentSource = z.infer<typeof deploymentSourceSchema>;

const deploymentAuthorSchema = z
  .object({
    kind: z.enum(deploymentAuthorKinds),
    id: z.uuid(),
    display: z
      .string()
      .nullable()
      .describe('The person’s name or e-mail address as it is now, or the API key as shown in lists.'),
  })
  .readonly()
  .meta({ id: 'DeploymentAuthor', description: 'The person or API key that uploaded a deployment.' });

export type DeploymentAuthor = z.infer<typeof deploymentAuthorSchema>;

const deploymentExample = {
  id: deploymentId,
  projectId: projectExample.id,
  state: 'ready',
  active: true,
  channels: [],
  contentHash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  files: 2,
  bytes: 18_204,
  message: 'New opening hours',
  source: { branch: 'main', commit: '4f1c2d9', url: 'https://git.example.com/acme/docs/commit/4f1c2d9' },
  author: { kind: 'person', id: '5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84', display: 'Ada Lovelace' },
  createdAt: '2026-11-02T09:05:00.000Z',
};

export const deploymentSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(deploymentStates),
    active: z.boolean().describe('Whether the project serves it, at its own address and its domains.'),
    channels: z.array(z.string()).readonly().describe('The channels that serve it, by name.'),
    contentHash: z.string().describe('SHA-256 of all paths and contents, in hexadecimal.'),
    files: z.int().min(0),
    bytes: z.int().min(0).describe('Size of the unpacked files.'),
    message: z.string().nullable().describe('What its author says about it.'),
    source: deploymentSourceSchema.nullable().describe('Null if its author says nothing of it.'),
    author: deploymentAuthorSchema.nullable().describe('Null if no person and no key uploaded it.'),
    createdAt: instantSchema,
  })
  .readonly()
  .meta({
    id: 'Deployment',
    description:
      'An uploaded bundle. The domains of a project serve the deployment that was uploaded or activated last. A deployment that ' +
      'was uploaded to a channel is served only there until it is activated. The newest deployments of a project are kept ' +
      '(`keptDeployments`), as many that were only on channels, and all that channels serve. Older ones are `collected` and ' +
      'cannot be served again.',
    example: deploymentExample,
  });

export type Deployment = z.infer<typeof deploymentSchema>;

/** More are only counted. */
export const listedIgnoredFiles = 100;

const ignoredFilesSchema = z
  .object({
    count: z.int().min(0),
    paths: z.array(z.string()).max(listedIgnoredFiles).readonly().describe('The first hundred.'),
  })
  .readonly()
  .describe(
    'Files of the archive that are not published: `.DS_Store`, `Thumbs.db`, `__MACOSX/`, and `._name` beside `name`.',
  );

export type IgnoredFiles = z.infer<typeof ignoredFilesSchema>;

export const createdDeploymentSchema = z
  .object({ ...deploymentSchema.unwrap().shape, ignored: ignoredFilesSchema })
  .readonly()
  .meta({
    id: 'CreatedDeployment',
    description: 'A deployment, and what its archive contained besides.',
    example: { ...deploymentExample, ignored: { count: 1, paths: ['.DS_Store'] } },
  });

export type CreatedDeployment = z.infer<typeof createdDeploymentSchema>;

/** Query of createDeployment. */
export const newDeploymentSchema = z.strictObject({
  allow: z
    .string()
    .refine((text) => text.isWellFormed() && !text.includes('\0'), { error: 'must be well-formed text without NUL' })
    .transform((text) => new Set(text.split(',').map((path) => path.normalize('NFC'))))
    .meta({
      description:
        'Paths of files that are published although they would be refused as secrets or left out, separated by commas.',
      wire: { type: 'string' },
      example: '.env.production',
    })
    .optional(),
  channel: channelNameSchema
    .optional()
    .describe('Serve it on this channel, which is created if it is not there, and not as the active deployment.'),
  access: z
    .enum(channelAccesses)
    .optional()
    .describe('Who may read that channel from now on: everybody (`public`), or only visitors with a `link`.'),
  message: message.describe('What this deployment is, to tell it from others.').optional(),
  branch: branch.optional(),
  commit: commit.optional(),
  sourceUrl: sourceUrl.optional(),
});

export type NewDeployment = z.infer<typeof newDeploymentSchema>;

/** Answer of getDeployment. */
export const deploymentWithEdgesSchema = z
  .object({
    ...deploymentSchema.unwrap().shape,
    servedEverywhere: z
      .boolean()
      .describe(
        'Whether every edge serves the deployment. An edge without contact counts until it has stopped serving. After ' +
          'another change of the project it is false until the edges have that, too.',
      ),
  })
  .readonly()
  .meta({
    id: 'DeploymentWithEdges',
    description: 'A deployment, and whether it has reached the edges.',
    example: { ...deploymentExample, servedEverywhere: true },
  });

export type DeploymentWithEdges = z.infer<typeof deploymentWithEdgesSchema>;

/** Query of getDeploymentChanges. */
export const deploymentChangesQuerySchema = z.strictObject({
  since: z.uuid().describe('The deployment to compare with. If absent, the kept one before it.').optional(),
});

export type DeploymentChangesQuery = z.infer<typeof deploymentChangesQuerySchema>;

/** More are only counted. */
export const listedChanges = 100;

const changedPathsSchema = z
  .object({
    count: z.int().min(0),
    paths: z.array(z.string()).max(listedChanges).readonly().describe('The first hundred, in order.'),
  })
  .readonly();

export const deploymentChangesSchema = z
  .object({
    since: z.uuid().nullable().describe('The deployment that it was compared with; null if there was none.'),
    added: changedPathsSchema,
    changed: changedPathsSchema,
    removed: changedPathsSchema,
  })
  .readonly()
  .meta({
    id: 'DeploymentChanges',
    description: 'The files in which two deployments differ, `_redirects` and `_headers` included.',
    example: {
      since: '0c7f1a52-93c8-4f0e-8a6e-2b1d5c3e4f60',
      added: { count: 1, paths: ['about.html'] },
      changed: { count: 1, paths: ['index.html'] },
      removed: { count: 0, paths: [] },
    },
  });

export type DeploymentChanges = z.infer<typeof deploymentChangesSchema>;

/** Query of listDeployments. */
export const listDeploymentsQuerySchema = z.strictObject({
  limit: optionalPageParameters.limit.describe(
    'Maximum number of entries. If absent, a page has the newest hundred and the one that is served.',
  ),
  cursor: optionalPageParameters.cursor,
  state: z.enum(deploymentStates).describe('Return only deployments in this state.').optional(),
});

export type ListDeploymentsQuery = z.infer<typeof listDeploymentsQuerySchema>;

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
