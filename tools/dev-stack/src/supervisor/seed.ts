import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { create } from 'tar';
import { z } from 'zod';
import { writeSecret } from './secrets.js';

/** The page of the seeded project, beside `src` and `dist`. */
const PAGE_FOLDER = resolve(import.meta.dirname, '../../assets/acme-docs');
const REQUEST_LIMIT_MS = 15_000;

const tenantSchema = z.object({ organizationId: z.string(), apiKey: z.string(), projectId: z.string() });
const seedSchema = z.object({ pro: tenantSchema, free: tenantSchema });
const organizationSchema = z.object({ organizationId: z.string(), apiKey: z.string() });
const projectSchema = z.object({ id: z.string() });

type Tenant = z.infer<typeof tenantSchema>;
export type Seed = z.infer<typeof seedSchema>;

export type Seeding = {
  readonly apiUrl: string;
  readonly secretsFolder: string;
  /** Runs the administrator's command and answers the lines it printed. */
  readonly admin: (args: readonly string[]) => Promise<readonly string[]>;
};

/**
 * Makes the two organizations the stack is tried with, once: a Pro one with a deployed page and a free one without.
 * What was made is kept; if it no longer works, because the database was replaced, it is made again.
 */
export async function seed(seeding: Seeding): Promise<Seed> {
  const path = join(seeding.secretsFolder, 'seed.json');
  const kept = await readSeed(path);
  if (kept && (await works(seeding.apiUrl, kept.pro)) && (await works(seeding.apiUrl, kept.free))) return kept;
  const pro = await createTenant(seeding, {
    organization: 'Acme',
    plan: 'pro',
    project: 'Acme docs',
    slug: 'acme-docs',
  });
  await deployPage(seeding.apiUrl, pro);
  const free = await createTenant(seeding, {
    organization: 'Free',
    plan: 'free',
    project: 'Free docs',
    slug: 'free-docs',
  });
  const made = { pro, free };
  await writeSecret(path, JSON.stringify(made, null, 2));
  return made;
}

async function readSeed(path: string): Promise<Seed | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : seedSchema.parse(JSON.parse(text));
}

/** The key is taken and the project is there. */
async function works(apiUrl: string, { apiKey, projectId }: Tenant): Promise<boolean> {
  const response = await call(apiUrl, apiKey, `/v1/projects/${projectId}/domains`);
  await response.body?.cancel();
  if (response.status >= 500) throw new Error(`GET /v1/projects/${projectId}/domains answered ${response.status}`);
  return response.ok;
}

/** Creates an organization with a key and a project. */
export async function createTenant(
  { apiUrl, admin }: Pick<Seeding, 'apiUrl' | 'admin'>,
  wanted: { organization: string; plan: string; project: string; slug: string },
): Promise<Tenant> {
  const { organizationId, apiKey } = parseLine(
    organizationSchema,
    await admin(['organization', 'create', '--name', wanted.organization, '--plan', wanted.plan, '--key-name', 'seed']),
  );
  const projectId = await createProject(apiUrl, apiKey, wanted.project, wanted.slug);
  return { organizationId, apiKey, projectId };
}

/** A slug is unique on the whole platform: an earlier seed whose keys are lost may still hold it. */
export async function createProject(apiUrl: string, apiKey: string, name: string, slug: string): Promise<string> {
  for (const candidate of [slug, `${slug}-${randomBytes(3).toString('hex')}`]) {
    const response = await call(apiUrl, apiKey, '/v1/projects', {
      type: 'application/json',
      content: JSON.stringify({ name, slug: candidate }),
    });
    if (response.status === 201) return projectSchema.parse(await response.json()).id;
    const answer = await response.text();
    if (response.status !== 409) throw new Error(`POST /v1/projects answered ${response.status}: ${answer}`);
  }
  throw new Error(`POST /v1/projects: ${slug} is taken, and so is a random name`);
}

/** Uploads a folder to a project; the page of the seeded project by default. @param query of the upload */
export async function deployPage(
  apiUrl: string,
  { apiKey, projectId }: Omit<Tenant, 'organizationId'>,
  folder: string = PAGE_FOLDER,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const chunks: Uint8Array[] = [];
  const archive = create({ gzip: true, cwd: folder, portable: true }, ['.']);
  for await (const chunk of archive) chunks.push(chunk);
  const path = `/v1/projects/${projectId}/deployments?${new URLSearchParams(query).toString()}`;
  const response = await call(apiUrl, apiKey, path, { type: 'application/gzip', content: Buffer.concat(chunks) });
  const answer = await response.text();
  if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${answer}`);
}

function call(apiUrl: string, apiKey: string, path: string, body?: { type: string; content: string | Buffer }) {
  return fetch(`${apiUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': body.type }) },
    body: body && (typeof body.content === 'string' ? body.content : new Uint8Array(body.content)),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
}

/** The command prints one JSON object, as its last line. */
function parseLine<Schema extends z.ZodType>(schema: Schema, lines: readonly string[]): z.infer<Schema> {
  return schema.parse(JSON.parse(lines.findLast((line) => line.startsWith('{')) ?? 'null'));
}
