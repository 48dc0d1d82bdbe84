import { parseArgs } from 'node:util';
import { plans, scopes, type Plan, type Scope } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { KeyRing } from '@pets/platform';
import { z } from 'zod';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { PrincipalCache } from './api-keys/principal-cache.js';
import type { Config } from './config.js';
import { EdgeFeedRepository } from './edge-feed/edge-feed.repository.js';
import { listKeys, rewrapKeys } from './keys/rewrap-keys.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { DeprecatedCallsRepository } from './pets/deprecated-calls.repository.js';

/** What only the operator may do, without a key. */

const usage = `usage:
  admin organization create --name NAME --plan ${plans.join('|')} [--key-name NAME]
  admin plan set --organization ID --plan ${plans.join('|')}
  admin key create --organization ID --name NAME [--scopes SCOPE,SCOPE] [--expires-in-days N]
  admin key list --organization ID
  admin key revoke --organization ID --key ID
  admin edges list
  admin edges forget --edge ID
  admin keys list
  admin keys rewrap
  admin deprecated-calls list`;

/** A command that cannot be done as given. The message is for the operator. */
class AdminError extends Error {}

const optionNames = ['name', 'plan', 'organization', 'key', 'key-name', 'edge', 'scopes', 'expires-in-days'] as const;
type Options = Partial<Record<(typeof optionNames)[number], string>>;
type Command = (options: Options) => Promise<object>;

/** The keys are wanted by the commands on keys alone. */
type AdminConfig = Pick<Config, 'ENVIRONMENT'> & Partial<Pick<Config, 'CERTIFICATE_KEKS'>>;

/**
 * Runs one command, given as on the command line.
 * @returns what is to be printed
 * @throws AdminError when the command is unknown, an option is missing or wrong, or it names nothing
 */
export async function runAdminCommand(args: readonly string[], db: Database, config: AdminConfig): Promise<object> {
  const { words, options } = parse(args);
  const command = commandsOn(db, config)[words.join(' ')];
  if (command === undefined) throw new AdminError(usage);
  return command(options);
}

function commandsOn(db: Database, config: AdminConfig): Record<string, Command> {
  const organizations = new OrganizationsRepository(db);
  const keyRows = new ApiKeysRepository(db);
  const keys = new ApiKeysService(keyRows, new PrincipalCache(), config);
  const edges = new EdgeFeedRepository(db);
  return {
    'organization create': async ({ name, plan, 'key-name': keyName }) => {
      const organizationId = await organizations.insert(required('name', name), planOf(plan));
      if (keyName === undefined) return { organizationId };
      const { secret } = await keys.create({ organizationId, name: keyName, scopes, expiresAt: null });
      return { organizationId, apiKey: secret };
    },
    'plan set': async ({ organization, plan }) => {
      const [organizationId, wanted] = [idOf('organization', organization), planOf(plan)];
      if (!(await organizations.setPlan(organizationId, wanted)))
        throw new AdminError(`there is no organization ${organizationId}`);
      return { organizationId, plan: wanted };
    },
    'key create': async ({ organization, name, scopes: wanted, 'expires-in-days': days }) => {
      const grant = {
        organizationId: idOf('organization', organization),
        name: required('name', name),
        scopes: scopesOf(wanted),
        expiresAt: expiryOf(days, new Date()),
      };
      const { organizationId } = grant;
      if (!(await organizations.exists(organizationId)))
        throw new AdminError(`there is no organization ${organizationId}`);
      return { apiKey: (await keys.create(grant)).secret };
    },
    'key list': async ({ organization }) => ({ keys: await keyRows.list(idOf('organization', organization)) }),
    'key revoke': async ({ organization, key }) => {
      const [organizationId, keyId] = [idOf('organization', organization), idOf('key', key)];
      if (!(await keyRows.revoke(organizationId, keyId, new Date())))
        throw new AdminError(`the organization has no key ${keyId}`);
      return { revoked: keyId };
    },
    'edges list': async () => ({ edges: await edges.list() }),
    'edges forget': async ({ edge }) => {
      const edgeId = required('edge', edge);
      if (!(await edges.forget(edgeId))) throw new AdminError(`there is no edge ${edgeId}`);
      return { forgotten: edgeId };
    },
    'keys list': async () => ({ keys: await listKeys(db, ringOf(config)) }),
    'keys rewrap': async () => rewrapKeys(db, ringOf(config)),
    'deprecated-calls list': async () => ({ deprecatedCalls: await new DeprecatedCallsRepository(db).list() }),
  };
}

function parse(args: readonly string[]): { words: readonly string[]; options: Options } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(optionNames.map((name) => [name, { type: 'string' }] as const)),
    });
    return { words: positionals, options: values };
  } catch (error) {
    throw new AdminError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function ringOf({ CERTIFICATE_KEKS }: AdminConfig): KeyRing {
  if (CERTIFICATE_KEKS === undefined) throw new AdminError('CERTIFICATE_KEKS: is required');
  return CERTIFICATE_KEKS;
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

/** Without the option a key may do everything there is. */
function scopesOf(value: string | undefined): readonly Scope[] {
  if (value === undefined) return scopes;
  const wanted = new Set(value.split(','));
  const found = scopes.filter((scope) => wanted.has(scope));
  if (found.length !== wanted.size) throw new AdminError(`--scopes must be some of ${scopes.join(',')}`);
  return found;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function expiryOf(days: string | undefined, now: Date): Date | null {
  if (days === undefined) return null;
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new AdminError('--expires-in-days must be a whole number from 1 to 9999');
  return new Date(now.getTime() + Number(days) * DAY_MS);
}
