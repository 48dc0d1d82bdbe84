/**
 * The operator's commands, which work on the database directly. Each group is a file of this folder. The parser derives
 * a command's options from its usage text.
 */
import { parseArgs } from 'node:util';
import type { Database } from '@pets/persistence';
import { actAs, type Requester } from '../../access/audit/requester.js';
import { addressCommands } from './address-commands.js';
import { apiKeyCommands } from './api-key-commands.js';
import { certificateCommands, certificateObjectCommands, platformCertificateCommands } from './certificate-commands.js';
import { AdminError, type AdminCommands, type AdminContext, type Options } from './command.js';
import { invitationCommands, organizationCommands } from './organization-commands.js';
import { limitCommands } from './limit-commands.js';
import { maintenanceCommands } from './maintenance-commands.js';
import { nameCommands } from './name-commands.js';
import { suspensionCommands } from './suspension-commands.js';

const groups = [
  organizationCommands,
  limitCommands,
  apiKeyCommands,
  invitationCommands,
  maintenanceCommands,
  addressCommands,
  nameCommands,
  suspensionCommands,
  certificateCommands,
  certificateObjectCommands,
  platformCertificateCommands,
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
  const commands = commandsOn({ db, config });
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  const name = words.join(' ');
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
export function adminUsage(): string {
  return usageOf(commandsOn({} as AdminContext));
}

function commandsOn(context: AdminContext): AdminCommands {
  const commands: Record<string, AdminCommands[string]> = {};
  for (const group of groups) Object.assign(commands, group(context));
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
