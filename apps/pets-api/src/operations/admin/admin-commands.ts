/**
 * The operator's commands, which work on the database directly. Each group is a file of this folder. The parser derives
 * a command's options from its usage text.
 */
import { parseArgs } from 'node:util';
import type { Database } from '@pets/persistence';
import { actAs, type Requester } from '../../access/audit/requester.js';
import { AdminError, type AdminCommands, type AdminContext, type Options } from './command.js';

type Group = (context: AdminContext) => AdminCommands;

/** Groups by the first words of their commands. A command loads its group alone: all of them load most of the API. */
const groups: readonly (readonly [beginnings: readonly string[], load: () => Promise<readonly Group[]>])[] = [
  [
    ['organization create', 'plan set', 'invite'],
    () => import('./organization-commands.js').then((file) => [file.organizationCommands, file.invitationCommands]),
  ],
  [['limits', 'plan limits'], () => import('./limit-commands.js').then((file) => [file.limitCommands])],
  [['key'], () => import('./api-key-commands.js').then((file) => [file.apiKeyCommands])],
  [
    ['edges', 'feed', 'keys', 'deprecated-calls', 'check'],
    () => import('./maintenance-commands.js').then((file) => [file.maintenanceCommands]),
  ],
  [['addresses'], () => import('./address-commands.js').then((file) => [file.addressCommands])],
  [['names'], () => import('./name-commands.js').then((file) => [file.nameCommands])],
  [
    ['organization suspend', 'organization resume', 'project', 'domain', 'suspensions'],
    () => import('./suspension-commands.js').then((file) => [file.suspensionCommands]),
  ],
  [
    ['certificate', 'certificates', 'platform-certificate'],
    () =>
      import('./certificate-commands.js').then((file) => [
        file.certificateCommands,
        file.certificateObjectCommands,
        file.platformCertificateCommands,
      ]),
  ],
];

/** Accepted by every command: the operator's name for the audit log. */
const COMMON = '[--by NAME]';

/**
 * Runs one command line.
 * @returns the object to print
 * @throws AdminError when the command is unknown, an option is missing or wrong, or refers to nothing
 */
export async function runAdminCommand(
  args: readonly string[],
  db: Database,
  config: AdminContext['config'],
): Promise<object> {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  const name = words.join(' ');
  let commands = await commandsOn({ db, config }, name);
  // The beginnings of a group only save loading: a command that none of them covers is found among all.
  if (!Object.hasOwn(commands, name)) commands = await commandsOn({ db, config });
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new AdminError(usageOf(commands));
  try {
    const options = parse(args.slice(words.length), `${command.usage} ${COMMON}`);
    return await actAs(
      () => operator(options['by']),
      () => command.run(options),
    );
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    throw new AdminError(`${error.message}\n${usageOf({ [name]: command })}`);
  }
}

/** All commands with their options. A command uses the database and the settings only when it runs. */
export async function adminUsage(): Promise<string> {
  return usageOf(await commandsOn({} as AdminContext));
}

/** @param name only the group of this command */
async function commandsOn(context: AdminContext, name?: string): Promise<AdminCommands> {
  const commands: Record<string, AdminCommands[string]> = {};
  for (const [beginnings, load] of groups) {
    if (name !== undefined && !beginnings.some((words) => `${name} `.startsWith(`${words} `))) continue;
    for (const group of await load()) Object.assign(commands, group(context));
  }
  return commands;
}

function operator(name: string | undefined): Requester {
  return { kind: 'operator', apiKeyId: null, personId: null, name: name ?? null, address: null, requestId: null };
}

/** In the usage, an option with a value is followed by its placeholder. An option without one is a flag: `'true'`. */
function parse(args: readonly string[], usage: string): Options {
  const known = [...usage.matchAll(/--([a-z-]+)( [A-Za-z])?/g)].map(
    ([, name = '', value]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values } = parseArgs({ args: [...args], options: Object.fromEntries(known) });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    throw new AdminError(error instanceof Error ? error.message : String(error));
  }
}

function usageOf(commands: AdminCommands): string {
  const lines = Object.entries(commands).map(([name, { usage }]) => `  admin ${name} ${usage}`.trimEnd());
  return [
    'usage:',
    ...lines,
    `Every command also takes ${COMMON}, the operator’s name for the audit log of the organization.`,
  ].join('\n');
}
