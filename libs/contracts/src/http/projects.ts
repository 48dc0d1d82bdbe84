import { z } from 'zod';
import { deploymentStates } from '../closed-sets.js';
import { instantSchema } from './instant.js';
import { textSchema } from './text.js';

/** Slugs that would clash with the platform's own names below its domain. */
export const reservedSlugs = ['cname', 'www', 'api', 'app', 'admin', 'dashboard', 'status', 'mail', 'docs'] as const;

const name = textSchema(100).describe('1 to 100 characters.');

/** Body of createProject. The slug is the label under the platform domain: `<slug>.<platform domain>`. */
export const newProjectSchema = z
  .strictObject({
    name,
    slug: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be a lower-case host name label' })
      .refine((slug) => !slug.includes('--'), { error: 'must not contain two hyphens in a row' })
      .refine((slug) => !(reservedSlugs as readonly string[]).includes(slug), { error: 'is reserved' })
      .describe(
        'The label below the platform’s domain that the project is served at; not taken, without two hyphens in a row, ' +
          `and none of ${reservedSlugs.join(', ')}.`,
      ),
  })
  .meta({ id: 'NewProject', description: 'A project to create.', example: { name: 'Acme docs', slug: 'acme-docs' } });

export type NewProject = z.infer<typeof newProjectSchema>;

const projectExample = {
  id: '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f',
  name: 'Acme docs',
  slug: 'acme-docs',
  url: 'https://acme-docs.pets.example',
  createdAt: '2026-11-02T09:00:00.000Z',
};

export const projectSchema = z
  .object({
    id: z.uuid(),
    name,
    slug: z.string(),
    url: z.url().describe('Where the platform serves it: `https://<slug>.<platform domain>`.'),
    createdAt: instantSchema,
  })
  .readonly()
  .meta({
    id: 'Project',
    description: 'Files that are served together, and the domains they are served at.',
    example: projectExample,
  });

export type Project = z.infer<typeof projectSchema>;

/** Path of a project. What is no UUID names nothing: it is answered as a missing project is. */
export const projectPathSchema = z.strictObject({
  projectId: z.uuid().meta({ description: 'The project.', example: projectExample.id }),
});

export const deploymentSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(deploymentStates),
    contentHash: z
      .string()
      .describe('SHA-256 of paths and contents, in hexadecimal: the same files are the same content.'),
    files: z.int().min(0),
    bytes: z.int().min(0).describe('Unpacked.'),
    createdAt: instantSchema,
  })
  .readonly()
  .meta({
    id: 'Deployment',
    description: 'An uploaded bundle. The newest that is ready is what the project’s domains serve.',
    example: {
      id: '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2',
      projectId: projectExample.id,
      state: 'ready',
      contentHash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
      files: 2,
      bytes: 18_204,
      createdAt: '2026-11-02T09:05:00.000Z',
    },
  });

export type Deployment = z.infer<typeof deploymentSchema>;
