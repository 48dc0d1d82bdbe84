/**
 * Suspends organizations, projects and domains. A command returns when every edge has acknowledged, or after
 * `--wait-seconds` with the number that has not. Repeat it to check again; that changes nothing else.
 */
import { pause } from '@pets/async';
import { expectedAddresses, offeredAddresses } from '@pets/domains';
import { AuditLog } from '../../access/audit/audit-log.js';
import { OrganizationsRepository } from '../../access/organizations/organizations.repository.js';
import { SuspensionsRepository, type SuspensionTarget } from '../../access/suspensions/suspensions.repository.js';
import { CertificatesRepository } from '../../certificates/certificates.repository.js';
import {
  SuspensionEffects,
  SuspensionsService,
  type SuspensionChange,
} from '../../domains/suspensions/suspensions.service.js';
import { EdgeFeedRepository } from '../../edge/edge-feed.repository.js';
import { staleSeconds } from '../../edge/feed-protocol.js';
import { FeedRoutePublisher } from '../../edge/feed-route-publisher.js';
import { RoutableProjectsRepository } from '../../edge/routable-projects.repository.js';
import { WebhookOccurrencePublisher } from '../../events/webhooks/webhook-occurrence-publisher.js';
import { DomainOccurrences } from '../../lifecycle/domain-occurrences.js';
import { DomainPresenter } from '../../lifecycle/domain-presenter.js';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';
import { DomainsRepository } from '../../names/domains.repository.js';
import { PublicAddressesRepository } from '../../names/public-addresses.js';
import { WildcardExclusionsRepository } from '../../names/wildcard-exclusions.repository.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { WorkRepository } from '../../schedule/work.repository.js';
import { AdminError, idOf, required, setting, type AdminCommands, type AdminContext, type Options } from './command.js';

const DEFAULT_WAIT_SECONDS = '10';
const POLL_MS = 100;
const MAX_LISTED = 1_000;

/** Every suspended domain shows the reason. */
const MAX_REASON_LENGTH = 500;

type FindTarget = (options: Options) => Promise<SuspensionTarget>;

export function suspensionCommands(context: AdminContext): AdminCommands {
  const { db } = context;
  const suspensions = new SuspensionsRepository(db);
  const organization: FindTarget = async (options) => {
    const organizationId = idOf('organization', options['organization']);
    if (!(await new OrganizationsRepository(db).exists(organizationId)))
      throw new AdminError(`there is no organization ${organizationId}`);
    return { organizationId };
  };
  const project: FindTarget = async (options) => {
    const projectId = idOf('project', options['project']);
    const organizationId = await new ProjectsRepository(db).findOrganization(projectId);
    if (organizationId === null) throw new AdminError(`there is no project ${projectId}`);
    return { organizationId, projectId };
  };
  const domain: FindTarget = (options) => findDomain(suspensions, options);
  return {
    ...suspendAndResume('organization', '--organization ID', organization, context),
    ...suspendAndResume('project', '--project ID', project, context),
    ...suspendAndResume('domain', '--domain NAME|ID [--organization ID]', domain, context),
    'suspensions list': {
      usage: '[--organization ID]',
      run: async ({ organization: id }) => ({
        suspensions: await suspensions.list(id === undefined ? null : idOf('organization', id), MAX_LISTED),
      }),
    },
  };
}

function suspendAndResume(word: string, usage: string, find: FindTarget, context: AdminContext): AdminCommands {
  return {
    [`${word} suspend`]: {
      usage: `${usage} --reason TEXT [--wait-seconds N]`,
      run: async (options) => {
        const waitMs = waitOf(options);
        const given = { cause: 'operator', reason: reasonOf(options['reason']), by: options['by'] ?? null } as const;
        const target = await find(options);
        const suspension = { ...given, renewsUntil: null };
        const change = await (await createSuspensionsService(context)).suspend(target, suspension, new Date());
        return { suspended: target, ...(await waitForEdges(change, context, waitMs)) };
      },
    },
    [`${word} resume`]: {
      usage: `${usage} [--wait-seconds N]`,
      run: async (options) => {
        const waitMs = waitOf(options);
        const target = await find(options);
        const change = await (await createSuspensionsService(context)).resume(target, 'operator', new Date());
        return { resumed: target, ...(await waitForEdges(change, context, waitMs)) };
      },
    },
  };
}

/** A name refers to the domain that serves it, otherwise to the only one that waits for it. */
export async function findDomain(suspensions: SuspensionsRepository, options: Options): Promise<SuspensionTarget> {
  const wanted = required('domain', options['domain']).toLowerCase().replace(/\.$/, '');
  const { organization } = options;
  const organizationId = organization === undefined ? null : idOf('organization', organization);
  const found = await suspensions.findDomains(wanted, organizationId);
  const holders = found.filter(({ holds }) => holds);
  const [target, ...others] = holders.length > 0 ? holders : found;
  if (target === undefined) throw new AdminError(`there is no domain ${wanted}`);
  if (others.length > 0) {
    const ids = found.map((one) => one.organizationId).join(', ');
    throw new AdminError(`several organizations have added ${wanted}: pass --organization with one of ${ids}`);
  }
  return { organizationId: target.organizationId, name: target.name };
}

export function reasonOf(value: string | undefined): string {
  const reason = required('reason', value).trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new AdminError(`--reason must have 1 to ${MAX_REASON_LENGTH} characters; the owner reads it`);
  return reason;
}

export function waitOf(options: Options): number {
  const { 'wait-seconds': seconds = DEFAULT_WAIT_SECONDS } = options;
  if (!/^\d{1,4}$/.test(seconds)) throw new AdminError('--wait-seconds must be a whole number from 0 to 9999');
  return Number(seconds) * 1_000;
}

export async function waitForEdges(
  { version, ...change }: SuspensionChange,
  { db, config }: AdminContext,
  waitMs: number,
): Promise<object> {
  const feed = new EdgeFeedRepository(db);
  const seconds = staleSeconds(setting(config, 'EDGE_MAX_STALENESS'));
  const until = Date.now() + waitMs;
  for (;;) {
    const pendingEdges = await feed.countPending(version, seconds);
    if (pendingEdges === 0 || Date.now() >= until) return { ...change, pendingEdges };
    await pause(POLL_MS);
  }
}

/** The API's service on the command's one connection. */
export async function createSuspensionsService({ db, config }: AdminContext): Promise<SuspensionsService> {
  const EDGE_MAX_STALENESS = setting(config, 'EDGE_MAX_STALENESS');
  const seconds = staleSeconds(EDGE_MAX_STALENESS);
  const settings = {
    EDGE_MAX_STALENESS,
    PLATFORM_DOMAIN: setting(config, 'PLATFORM_DOMAIN'),
    REVERIFY_AFTER: setting(config, 'REVERIFY_AFTER'),
    PLAN_GRACE_DAYS: setting(config, 'PLAN_GRACE_DAYS'),
    PREPARE_MAX_DAYS: setting(config, 'PREPARE_MAX_DAYS'),
    ACME_DNS_ZONE: config.ACME_DNS_ZONE,
  };
  const work = new WorkRepository(db);
  const certificates = new CertificatesRepository(db);
  const feed = new EdgeFeedRepository(db);
  const suspensions = new SuspensionsRepository(db);
  const acks = { countPending: (version: number, on = db) => feed.countPending(version, seconds, on) };
  // Certificates of suspended domains are not ordered, so no place in a queue is read.
  const orders = { findPositions: () => Promise.resolve(new Map()) };
  const presenter = new DomainPresenter(db, settings, work, certificates, orders, acks, {
    offered: offeredAddresses(expectedAddresses(await new PublicAddressesRepository(db).list())),
  });
  const occurrences = new DomainOccurrences(new WebhookOccurrencePublisher(), new DomainsRepository(db), presenter);
  const effects = new SuspensionEffects(new AuditLog(), work, new DomainHistoryRepository(db), occurrences);
  return new SuspensionsService(
    db,
    suspensions,
    new ProjectsRepository(db),
    new FeedRoutePublisher(settings, feed, new RoutableProjectsRepository(), suspensions),
    feed,
    effects,
    new WildcardExclusionsRepository(db),
  );
}
