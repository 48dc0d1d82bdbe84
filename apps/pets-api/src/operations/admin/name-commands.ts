import { domainToASCII } from 'node:url';
import { findReservation, reservedGroups } from '@pets/domains';
import { BlockedNamesRepository, type NamedDomain } from '../../names/blocked-names.repository.js';
import type { SuspensionChange } from '../../domains/suspensions/suspensions.service.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { localReservations } from '../../projects/reserved-slugs.js';
import { AdminError, required, setting, type AdminCommands, type AdminContext } from './command.js';
import { waitForEdges, reasonOf, createSuspensionsService, waitOf } from './suspension-commands.js';

const MAX_LISTED = 10_000;
const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Blocked names, and reserved names below the platform domain. Blocking a name suspends its existing domains one by
 * one; repeat an interrupted command to continue it.
 */
export function nameCommands(context: AdminContext): AdminCommands {
  const { db, config } = context;
  const names = new BlockedNamesRepository(db);
  const projects = new ProjectsRepository(db);
  return {
    'names block': {
      usage: '--name NAME --reason TEXT [--with-subdomains] [--wait-seconds N]',
      run: async (options) => {
        const name = nameOf(options['name']);
        const reason = reasonOf(options['reason']);
        const waitMs = waitOf(options);
        const by = options['by'] ?? null;
        const now = new Date();
        const includesSubdomains = options['with-subdomains'] === 'true';
        const isNew = await names.insert({ name, includesSubdomains, reason, by, since: now });
        const found = await names.listDomains(name, includesSubdomains);
        const suspensions = await createSuspensionsService(context);
        const suspension = { cause: 'blocked_name', reason, by, renewsUntil: null } as const;
        const change = await changeEach(found, (one) => suspensions.suspend(one, suspension, now));
        const covered = await suspensions.republishCovered(name);
        const version = Math.max(change.version, covered.version);
        return {
          blocked: name,
          includesSubdomains,
          ...(await waitForEdges({ ...change, version, changed: isNew }, context, waitMs)),
        };
      },
    },
    'names unblock': {
      usage: '--name NAME [--wait-seconds N]',
      run: async (options) => {
        const name = nameOf(options['name']);
        const waitMs = waitOf(options);
        const wasBlocked = await names.delete(name);
        const suspended = await names.listSuspended(name);
        const suspensions = await createSuspensionsService(context);
        const isFree = await Promise.all(suspended.map(async (one) => (await names.find(db, one.name)) === null));
        const found = suspended.filter((_, index) => isFree[index]);
        const change = await changeEach(found, (one) => suspensions.resume(one, 'blocked_name', new Date()));
        const covered = await suspensions.republishCovered(name);
        const version = Math.max(change.version, covered.version);
        return {
          unblocked: name,
          ...(await waitForEdges({ ...change, version, changed: wasBlocked }, context, waitMs)),
        };
      },
    },
    'names reserved': {
      usage: '',
      run: async () => {
        const local = localReservations({ ...config, PLATFORM_DOMAIN: setting(config, 'PLATFORM_DOMAIN') });
        const projectsWithReservedName = [];
        for await (const project of projects.eachSlug()) {
          const reservedAs = findReservation(project.slug, local);
          if (reservedAs !== null) projectsWithReservedName.push({ ...project, reservedAs });
        }
        return {
          ...local,
          groups: reservedGroups.map(({ title, numbered, names: own }) => ({ title, numbered, names: own })),
          projects: projectsWithReservedName,
        };
      },
    },
    'names list': { usage: '', run: async () => ({ blockedNames: await names.list(MAX_LISTED) }) },
  };
}

/** One transaction for each domain, so that locks are short. */
async function changeEach(
  domains: readonly NamedDomain[],
  change: (domain: NamedDomain) => Promise<SuspensionChange>,
): Promise<Omit<SuspensionChange, 'changed'>> {
  let version = 0;
  let count = 0;
  for (const { organizationId, name } of domains) {
    const made = await change({ organizationId, name });
    version = Math.max(version, made.version);
    count += made.domains;
  }
  return { version, domains: count };
}

/** The stored form: A-labels, lower case, without a final dot. */
function nameOf(value: string | undefined): string {
  const given = required('name', value);
  const name = domainToASCII(given.replace(/\.$/, ''));
  if (!hostName.test(name)) throw new AdminError(`--name is not a host name: ${given}`);
  return name;
}
