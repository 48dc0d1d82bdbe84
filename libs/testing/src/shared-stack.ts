import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant, deployPage, repositoryRoot, type DevFile, type RunningStack } from '@pets/dev-stack';
import { sharedInProcess } from './shared-in-process.js';
import { startTestStack } from './test-stack.js';

const COMMAND_LIMIT_MS = 60_000;

/** A running stack that other test files use too, as an organization that is the test file's own. */
export type SharedTestStack = {
  /** With the key and the project of a new organization on the plan Pro. */
  readonly dev: DevFile;
  /** Of the project, which has a deployed page. */
  readonly slug: string;
  /** Accepted from gateways. */
  readonly gatewayToken: string;
  /** The data folder of the stack. */
  readonly dataDir: string;
};

/** Of the test's own process. */
type InheritedSettings = { readonly PATH: string; readonly HOME: string };

type Shared = {
  readonly stack: RunningStack;
  readonly dataDir: string;
  readonly gatewayToken: string;
  readonly exited: Promise<unknown>;
};

/**
 * The stack of this process, with default settings and a gateway token, and a new organization on it. The stack ends with the
 * process. DNS, CA and edge are everybody's: test files add names of their own, and undo what they change for others.
 */
export async function sharedTestStack(env: InheritedSettings): Promise<SharedTestStack> {
  const { stack, dataDir, gatewayToken } = await sharedInProcess('stack', () => start(env));
  const slug = `acme-docs-${randomBytes(3).toString('hex')}`;
  const wanted = { organization: 'Acme', plan: 'pro', project: 'Acme docs', slug };
  const tenant = await createTenant({ apiUrl: stack.dev.apiUrl, admin: adminOf(stack.dev, env) }, wanted);
  await deployPage(stack.dev.apiUrl, tenant);
  return { dev: { ...stack.dev, ...tenant }, slug, gatewayToken, dataDir };
}

async function start(inherited: InheritedSettings): Promise<Shared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-shared-stack-'));
  const gatewayToken = randomBytes(24).toString('base64url');
  const stack = await startTestStack({
    dataDir,
    env: { ...inherited, GATEWAY_TOKEN: gatewayToken },
    isTemporary: true,
  });
  return { stack, dataDir, gatewayToken, exited: stack.exited };
}

/** The administrator's command on a stack. */
function adminOf(
  { databaseUrl }: DevFile,
  { PATH }: InheritedSettings,
): (args: readonly string[]) => Promise<readonly string[]> {
  const program = join(repositoryRoot, 'apps/pets-api/dist/admin.js');
  const env = { PATH, DATABASE_URL: databaseUrl, ENVIRONMENT: 'development' };
  return async (args) => {
    const options = { env, timeout: COMMAND_LIMIT_MS };
    return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout.split('\n');
  };
}
