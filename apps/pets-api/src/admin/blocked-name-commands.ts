/**
 * Keeps a name away from everybody. Who has added it already is suspended, name by name; a command that was interrupted is
 * repeated, and goes on where it ended.
 */
import { domainToASCII } from 'node:url';
import { BlockedNamesRepository, type NamedDomain } from '../domains/suspensions/blocked-names.repository.js';
import type { SuspensionChange } from '../domains/suspensions/suspensions.service.js';
import { AdminError, type AdminCommands, type AdminContext } from './command.js';
import { required } from './options.js';
import { outcomeOf, reasonOf, suspensionsOn, waitOf } from './suspension-commands.js';

const LISTED = 10_000;
const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function blockedNameCommands(context: AdminContext): AdminCommands {
  const names = new BlockedNamesRepository(context.db);
  return {
    'names block': {
      usage: '--name NAME --reason TEXT [--with-subdomains] [--wait-seconds N]',
      run: async (options) => {
        const [name, reason, waitMs] = [nameOf(options['name']), reasonOf(options['reason']), waitOf(options)];
        const [by, now] = [options['by'] ?? null, new Date()];
        const includesSubdomains = options['with-subdomains'] === 'true';
        const isNew = await names.insert({ name, includesSubdomains, reason, by, since: now });
        const found = await names.listDomains(name, includesSubdomains);
        const suspension = { cause: 'blocked_name', reason, by, renewsUntil: null } as const;
        const change = await changeEach(found, (one) => suspensionsOn(context).suspend(one, suspension, now));
        return {
          blocked: name,
          includesSubdomains,
          ...(await outcomeOf({ ...change, changed: isNew }, context, waitMs)),
        };
      },
    },
    'names unblock': {
      usage: '--name NAME [--wait-seconds N]',
      run: async (options) => {
        const [name, waitMs] = [nameOf(options['name']), waitOf(options)];
        const wasBlocked = await names.delete(name);
        const suspended = await names.listSuspended(name);
        const isFree = await Promise.all(
          suspended.map(async (one) => (await names.find(context.db, one.name)) === null),
        );
        const found = suspended.filter((_, index) => isFree[index]);
        const change = await changeEach(found, (one) => suspensionsOn(context).resume(one, 'blocked_name', new Date()));
        return { unblocked: name, ...(await outcomeOf({ ...change, changed: wasBlocked }, context, waitMs)) };
      },
    },
    'names list': { usage: '', run: async () => ({ blockedNames: await names.list(LISTED) }) },
  };
}

/** One transaction each, so that no lock is held for long, however many there are. */
async function changeEach(
  domains: readonly NamedDomain[],
  change: (domain: NamedDomain) => Promise<SuspensionChange>,
): Promise<Omit<SuspensionChange, 'changed'>> {
  let [version, count] = [0, 0];
  for (const { organizationId, name } of domains) {
    const made = await change({ organizationId, name });
    version = Math.max(version, made.version);
    count += made.domains;
  }
  return { version, domains: count };
}

/** As it is stored: with A-labels, lower case, without a final dot. */
function nameOf(value: string | undefined): string {
  const given = required('name', value);
  const name = domainToASCII(given.replace(/\.$/, ''));
  if (!hostName.test(name)) throw new AdminError(`--name is not a host name: ${given}`);
  return name;
}
