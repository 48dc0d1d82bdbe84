import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The addresses and keys of a running stack, in `DATA_DIR/dev.json`. The file exists exactly while the stack is up. */
const devFileSchema = z.object({
  apiUrl: z.string(),
  /** Address of pets-api's listener that is not public. */
  internalUrl: z.string(),
  dashboardUrl: z.string(),
  edgeHttpUrl: z.string(),
  edgeHttpsUrl: z.string(),
  /** Null where resolvers of your own are used. */
  dnsControlUrl: z.string().nullable(),
  /** Address of the control that makes the development CA slow; null where a CA of your own is used. */
  caControlUrl: z.string().nullable().default(null),
  /** The root that the development CA's certificates lead to. */
  caCertificatePath: z.string(),
  platformDomain: z.string(),
  /** For `npm run admin`. */
  databaseUrl: z.string(),
  /** Key of the Pro organization. */
  apiKey: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** Key of the organization on the free plan. */
  freeApiKey: z.string(),
  freeProjectId: z.string(),
});

export type DevFile = z.infer<typeof devFileSchema>;

const ANSWER_LIMIT_MS = 2_000;

export function devFilePath(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

/** Readers see all of it or nothing. It holds keys, so it is for the owner alone. */
export async function writeDevFile(dataDir: string, content: DevFile): Promise<void> {
  const draft = join(dataDir, `dev.json.${randomBytes(4).toString('hex')}`);
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, devFilePath(dataDir));
}

/**
 * `DATA_DIR/curlrc`: with `curl --config`, every name leads to the edge of this stack and its CA is trusted, so that a
 * domain is visited as its visitors will do it: `https://docs.example.com/`.
 */
export async function writeCurlConfig(dataDir: string, dev: DevFile): Promise<void> {
  const [http, https] = [dev.edgeHttpUrl, dev.edgeHttpsUrl].map((url) => new URL(url));
  const routes = [
    [80, http],
    [443, https],
    [https?.port, https],
  ] as const;
  const lines = [
    `cacert = "${dev.caCertificatePath}"`,
    ...routes.map(([port, edge]) => `connect-to = ":${port}:${edge?.host}"`),
  ];
  await writeFile(join(dataDir, 'curlrc'), `${lines.join('\n')}\n`);
}

export async function readDevFile(dataDir: string): Promise<DevFile> {
  return devFileSchema.parse(JSON.parse(await readFile(devFilePath(dataDir), 'utf8')));
}

/** The stack that is up on a data folder; null if there is none. */
export async function findRunningStack(dataDir: string): Promise<DevFile | null> {
  const dev = await readDevFile(dataDir).catch(() => null);
  if (dev === null) return null;
  const response = await fetch(`${dev.apiUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).catch(
    () => null,
  );
  await response?.body?.cancel();
  return response?.ok === true ? dev : null;
}

export function removeDevFile(dataDir: string): void {
  rmSync(devFilePath(dataDir), { force: true });
}
