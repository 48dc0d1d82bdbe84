import { z } from 'zod';
import type { DeploymentState } from '../closed-sets.js';
import { textSchema } from './text.js';

/** Slugs that would clash with the platform's own names below its domain. */
export const reservedSlugs = ['cname', 'www', 'api', 'app', 'admin', 'dashboard', 'status', 'mail', 'docs'] as const;

/** Body of createProject. The slug is the label under the platform domain: `<slug>.<platform domain>`. */
export const newProjectSchema = z.strictObject({
  name: textSchema(100),
  slug: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be a lower-case host name label' })
    .refine((slug) => !slug.includes('--'), { error: 'must not contain two hyphens in a row' })
    .refine((slug) => !(reservedSlugs as readonly string[]).includes(slug), { error: 'is reserved' }),
});

export type NewProject = z.infer<typeof newProjectSchema>;

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** Where the platform serves it: `https://<slug>.<platform domain>`. */
  readonly url: string;
  readonly createdAt: string;
}

export interface Deployment {
  readonly id: string;
  readonly projectId: string;
  readonly state: DeploymentState;
  /** SHA-256 of paths and contents, hex: the same files are the same deployment content. */
  readonly contentHash: string;
  readonly files: number;
  readonly bytes: number;
  readonly createdAt: string;
}
