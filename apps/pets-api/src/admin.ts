import { parseArgs } from 'node:util';
import { plans } from '@pets/contracts';
import { openDatabase } from '@pets/persistence';
import { loadConfigOrExit } from '@pets/platform';
import { z } from 'zod';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { configSchema } from './config.js';
import { EdgeFeedRepository } from './edge-feed/edge-feed.repository.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';

/**
 * What only the operator may do. Prints one JSON line on standard output; a mistake goes to standard error, exit 1.
 */

const usage = `usage:
  admin organization create --name NAME --plan ${plans.join('|')}
  admin plan set --organization ID --plan ${plans.join('|')}
  admin key create --organization ID --name NAME
  admin edges list
  admin edges forget --edge ID`;

class UsageError extends Error {}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string' },
    plan: { type: 'string' },
    organization: { type: 'string' },
    edge: { type: 'string' },
  },
});
const config = loadConfigOrExit(configSchema.pick({ DATABASE_URL: true, ENVIRONMENT: true }));
const db = openDatabase({
  url: config.DATABASE_URL,
  poolSize: 1,
  onConnectionError: (error) => process.stderr.write(`${error.message}\n`),
});
const organizations = new OrganizationsRepository(db);
const edges = new EdgeFeedRepository(db);

const commands: Record<string, () => Promise<object>> = {
  'organization create': async () => ({ organizationId: await organizations.insert(required('name'), requiredPlan()) }),
  'plan set': async () => {
    const [organizationId, plan] = [requiredId('organization'), requiredPlan()];
    if (!(await organizations.setPlan(organizationId, plan)))
      throw new UsageError(`there is no organization ${organizationId}`);
    return { organizationId, plan };
  },
  'key create': async () => {
    const organizationId = requiredId('organization');
    if (!(await organizations.exists(organizationId)))
      throw new UsageError(`there is no organization ${organizationId}`);
    const keys = new ApiKeysService(new ApiKeysRepository(db), config);
    return { apiKey: await keys.create(organizationId, required('name')) };
  },
  'edges list': async () => ({ edges: await edges.list() }),
  'edges forget': async () => {
    const edgeId = required('edge');
    if (!(await edges.forget(edgeId))) throw new UsageError(`there is no edge ${edgeId}`);
    return { forgotten: edgeId };
  },
};

try {
  const command = commands[positionals.join(' ')];
  if (command === undefined) throw new UsageError(usage);
  process.stdout.write(JSON.stringify(await command()) + '\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await db.destroy();
}

function required(option: keyof typeof values): string {
  const value = values[option];
  if (!value) throw new UsageError(`--${option} is missing\n${usage}`);
  return value;
}

function requiredId(option: keyof typeof values): string {
  const id = required(option);
  if (!z.uuid().safeParse(id).success) throw new UsageError(`--${option} is not an id: ${id}`);
  return id;
}

function requiredPlan() {
  const plan = plans.find((known) => known === required('plan'));
  if (plan === undefined) throw new UsageError(`--plan must be one of ${plans.join(', ')}`);
  return plan;
}
