import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a running stack tells about itself in `DATA_DIR/dev.json`. The file is there exactly while the stack is up. */
const devFileSchema = z.object({
  apiUrl: z.string(),
  /** Of pets-api's listener that is not public. */
  internalUrl: z.string(),
  dashboardUrl: z.string(),
  edgeHttpUrl: z.string(),
  edgeHttpsUrl: z.string(),
  /** Null where resolvers of your own are used. */
  dnsControlUrl: z.string().nullable(),
  /** The root that the development CA's certificates lead to. */
  caCertificatePath: z.string(),
  platformDomain: z.string(),
  /** Of the Pro organization. */
  apiKey: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** Of the organization on the free plan. */
  freeApiKey: z.string(),
  freeProjectId: z.string(),
});

export type DevFile = z.infer<typeof devFileSchema>;

export function devFilePath(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

/** Readers see all of it or nothing. It holds keys, so it is for the owner alone. */
export async function writeDevFile(dataDir: string, content: DevFile): Promise<void> {
  const draft = join(dataDir, `dev.json.${randomBytes(4).toString('hex')}`);
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, devFilePath(dataDir));
}

export async function readDevFile(dataDir: string): Promise<DevFile> {
  return devFileSchema.parse(JSON.parse(await readFile(devFilePath(dataDir), 'utf8')));
}

export function removeDevFile(dataDir: string): void {
  rmSync(devFilePath(dataDir), { force: true });
}
