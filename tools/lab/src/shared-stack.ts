import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTenant, deployPage, type DevFile } from '@pets/dev-stack';
import { sharedInProcess } from '@pets/testing/processes';
import { administrate } from './administrator.js';
import { startTestStack, type TestStack } from './test-stack.js';

/** A running stack that other test files use too, as an organization that is the test file's own. */
export type SharedTestStack = {
  /** The key and the project of a new organization on the plan Pro. */
  readonly dev: DevFile;
  /** The slug of the project, which has a deployed page. */
  readonly slug: string;
  /** Accepted from gateways. */
  readonly gatewayToken: string;
  /** The data folder of the stack. */
  readonly dataDir: string;
  /** The process ID of a service, such as `edge`. */
  pidOf(service: string): number;
};

/** Settings of the test's own process. */
type InheritedSettings = { readonly PATH: string; readonly HOME: string };

type Shared = {
  readonly stack: TestStack;
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
  const admin = (args: readonly string[]) => administrate(stack.dev.databaseUrl, args);
  const tenant = await createTenant({ apiUrl: stack.dev.apiUrl, admin }, wanted);
  await deployPage(stack.dev.apiUrl, tenant);
  return { dev: { ...stack.dev, ...tenant }, slug, gatewayToken, dataDir, pidOf: (service) => stack.pidOf(service) };
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
