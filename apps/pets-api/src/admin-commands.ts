import { parseArgs } from 'node:util';
import { plans, type Plan } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { z } from 'zod';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import type { Config } from './config.js';
import { EdgeFeedRepository } from './edge-feed/edge-feed.repository.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';

/** What only the operator may do, without a key. */

export const usage = `usage:
  admin organization create --name NAME --plan ${plans.join('|')}
  admin plan set --organization ID --plan ${plans.join('|')}
  admin key create --organization ID --name NAME
  admin edges list
  admin edges forget --edge ID`;

/** A command that cannot be done as given. The message is for the operator. */
export class AdminError extends Error {}

type Options = Partial<Record<'name' | 'plan' | 'organization' | 'edge', string>>;
type Command = (options: Options) => Promise<object>;

/**
 * Runs one command, given as on the command line.
 * @returns what is to be printed
 * @throws AdminError when the command is unknown, an option is missing or wrong, or it names nothing
 */
export async function runAdminCommand(
  args: readonly string[],
  db: Database,
  config: Pick<Config, 'ENVIRONMENT'>,
): Promise<object> {
  const { words, options } = parse(args);
  const command = commandsOn(db, config)[words.join(' ')];
  if (command === undefined) throw new AdminError(usage);
  return command(options);
}

function commandsOn(db: Database, config: Pick<Config, 'ENVIRONMENT'>): Record<string, Command> {
  const organizations = new OrganizationsRepository(db);
  const keys = new ApiKeysService(new ApiKeysRepository(db), config);
  const edges = new EdgeFeedRepository(db);
  return {
    'organization create': async ({ name, plan }) => ({
      organizationId: await organizations.insert(required('name', name), planOf(plan)),
    }),
    'plan set': async ({ organization, plan }) => {
      const [organizationId, wanted] = [idOf('organization', organization), planOf(plan)];
      if (!(await organizations.setPlan(organizationId, wanted)))
        throw new AdminError(`there is no organization ${organizationId}`);
      return { organizationId, plan: wanted };
    },
    'key create': async ({ organization, name }) => {
      const organizationId = idOf('organization', organization);
      if (!(await organizations.exists(organizationId)))
        throw new AdminError(`there is no organization ${organizationId}`);
      return { apiKey: await keys.create(organizationId, required('name', name)) };
    },
    'edges list': async () => ({ edges: await edges.list() }),
    'edges forget': async ({ edge }) => {
      const edgeId = required('edge', edge);
      if (!(await edges.forget(edgeId))) throw new AdminError(`there is no edge ${edgeId}`);
      return { forgotten: edgeId };
    },
  };
}

function parse(args: readonly string[]): { words: readonly string[]; options: Options } {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { name: text, plan: text, organization: text, edge: text },
    });
    return { words: positionals, options: values };
  } catch (error) {
    throw new AdminError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function required(option: string, value: string | undefined): string {
  if (!value) throw new AdminError(`--${option} is missing\n${usage}`);
  return value;
}

function idOf(option: string, value: string | undefined): string {
  const id = required(option, value);
  if (!z.uuid().safeParse(id).success) throw new AdminError(`--${option} is not an id: ${id}`);
  return id;
}

function planOf(value: string | undefined): Plan {
  const plan = plans.find((known) => known === required('plan', value));
  if (plan === undefined) throw new AdminError(`--plan must be one of ${plans.join(', ')}`);
  return plan;
}
