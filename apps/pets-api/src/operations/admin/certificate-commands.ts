/**
 * Revokes certificates. The command writes the request; the worker sends it to the CA and retries until the CA answers.
 * The history of the domain shows the result. A domain that is served gets a new certificate at once.
 */
import { revocationReasons, type RevocationReason } from '@pets/contracts';
import { notify, type Tx } from '@pets/persistence';
import { createLogger, openFileStorage } from '@pets/platform';
import { sql } from 'kysely';
import { AuditLog } from '../../access/audit/audit-log.js';
import { SuspensionsRepository } from '../../access/suspensions/suspensions.repository.js';
import { CertificateObjectsRepository } from '../../certificates/certificate-objects.repository.js';
import { CertificateObjects } from '../../certificates/certificate-objects.service.js';
import { writePlatformObjects } from '../../certificates/platform/platform-certificate-objects.js';
import { PlatformCertificatesRepository } from '../../certificates/platform/platform-certificates.repository.js';
import { PlatformOrdersRepository } from '../../certificates/platform/platform-orders.repository.js';
import { platformSubjectOf } from '../../certificates/platform/platform-subject.js';
import { RevocationsRepository, RevocationsService } from '../../certificates/revocations/revocations.service.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { WorkRepository } from '../../schedule/work.repository.js';
import { AdminError, idOf, setting, type AdminCommands, type AdminContext, type Options } from './command.js';
import { findDomain } from './suspension-commands.js';

interface FoundCertificate {
  readonly id: string;
  readonly domainId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
  /** Whether this is the newest certificate of a verified or live domain. */
  readonly isServed: boolean;
}

/** RFC 5280 §5.3.1. */
const DEFAULT_REASON = 'unspecified' satisfies RevocationReason;

export function certificateCommands({ db }: AdminContext): AdminCommands {
  return {
    'certificate revoke': {
      usage: `--certificate ID | --domain NAME|ID [--organization ID] [--reason ${revocationReasons.join('|')}]`,
      run: async (options) => {
        const reason = reasonOf(options['reason']);
        const selection = await parseSelection(options, new SuspensionsRepository(db));
        const projectIds = [...new Set((await findValid(db, selection)).map(({ projectId }) => projectId))];
        if (projectIds.length === 0) throw new AdminError(await explainMissing(db, selection));
        return db.transaction().execute(async (tx) => {
          await new ProjectsRepository(db).lockAll(tx, projectIds);
          const found = await findValid(tx, selection);
          const now = new Date();
          const service = new RevocationsService(new RevocationsRepository(db));
          const requested = await service.request(tx, { certificateIds: found.map(({ id }) => id), reason, now });
          const revoked = found.filter(({ id }) => requested.includes(id));
          for (const certificate of revoked) await recordAndReplace(tx, certificate, reason, now);
          if (revoked.length > 0) await notify(tx, 'domain_work');
          return { reason, requested: revoked.map(({ id, name }) => ({ certificateId: id, name })) };
        });
      },
    },
  };

  async function recordAndReplace(
    tx: Tx,
    { id, domainId, organizationId, name, isServed }: FoundCertificate,
    reason: RevocationReason,
    now: Date,
  ): Promise<void> {
    const event = { organizationId, type: 'certificate.revocation_requested' } as const;
    await new AuditLog().record(tx, { ...event, subject: { kind: 'certificate', id }, detail: { name, reason } });
    if (isServed) await new WorkRepository(db).schedule(tx, domainId, { issuance: { dueAt: now } });
  }
}

type Selection = { readonly certificateId: string } | { readonly organizationId: string; readonly name: string };

async function parseSelection(options: Options, suspensions: SuspensionsRepository): Promise<Selection> {
  const { certificate, domain } = options;
  if ((certificate === undefined) === (domain === undefined))
    throw new AdminError('pass either --certificate or --domain');
  if (certificate !== undefined) return { certificateId: idOf('certificate', certificate) };
  const { organizationId, name = '' } = await findDomain(suspensions, options);
  return { organizationId, name };
}

/** The CA of an uploaded certificate knows its owner only. */
async function explainMissing(db: AdminContext['db'], selection: Selection): Promise<string> {
  const isSelected =
    'certificateId' in selection
      ? sql`o.id = ${selection.certificateId}`
      : sql`d.name = ${selection.name} and o.organization_id = ${selection.organizationId}`;
  const { rows } = await sql`
    select from certificates o join domains d on d.id = o.domain_id
    where ${isSelected} and o.state = 'active' limit 1`.execute(db);
  return rows.length === 0
    ? 'there is no valid certificate'
    : 'the certificate was uploaded by its owner: only the owner can have its CA revoke it; suspend the domain to stop it';
}

/** Certificates that have not expired; for a name, all that the organization has for it. */
async function findValid(db: AdminContext['db'], selection: Selection): Promise<FoundCertificate[]> {
  const isSelected =
    'certificateId' in selection
      ? sql`c.id = ${selection.certificateId}`
      : sql`c.name = ${selection.name} and c.organization_id = ${selection.organizationId}`;
  const { rows } = await sql<FoundCertificate>`
    select c.id, c.domain_id as "domainId", d.project_id as "projectId", c.organization_id as "organizationId", d.name,
      d.state <> 'removed' and not exists (
        select from certificates n where n.domain_id = d.id and n.state = 'issued' and n.issued_at > c.issued_at
      ) as "isServed"
    from certificates c join domains d on d.id = c.domain_id
    where ${isSelected} and c.state = 'issued' and c.not_after > now()`.execute(db);
  return rows;
}

function reasonOf(value: string = DEFAULT_REASON): RevocationReason {
  const reason = revocationReasons.find((known) => known === value);
  if (reason === undefined) throw new AdminError(`--reason must be one of ${revocationReasons.join(', ')}`);
  return reason;
}

/** The certificate of `*.<platform domain>`: its state, the record that it needs, and an order ahead of time. */
export function platformCertificateCommands({ db, config }: AdminContext): AdminCommands {
  const subject = () => {
    const zones = {
      PLATFORM_DOMAIN: setting(config, 'PLATFORM_DOMAIN'),
      ACME_DNS_ZONE: setting(config, 'ACME_DNS_ZONE'),
    };
    const found = platformSubjectOf({ ...zones, ISSUE_PLATFORM_CERTIFICATE: true });
    if (found === null) throw new AdminError('ACME_DNS_ZONE: is required');
    return found;
  };
  const orders = () => new PlatformOrdersRepository(db);

  return {
    'platform-certificate show': {
      usage: '',
      run: async () => {
        const { domainId: id, name, expected } = subject();
        const { host, target } = expected.delegation;
        const certificate = await new PlatformCertificatesRepository(db).findNewest(id);
        const order = await orders().find(id);
        return {
          name,
          record: `${host} CNAME ${target}`,
          certificate: certificate && {
            id: certificate.id,
            issuer: certificate.issuer,
            notBefore: certificate.notBefore,
            notAfter: certificate.notAfter,
          },
          nextAttemptAt: order?.dueAt ?? null,
          problem: order?.problem ?? null,
          problemSince: order?.problemSince ?? null,
        };
      },
    },
    'platform-certificate renew': {
      usage: '',
      run: async () => {
        const { domainId: id, name } = subject();
        if (!(await orders().orderNow(id)))
          throw new AdminError(`${name} is not ordered here: check ISSUE_PLATFORM_CERTIFICATE, and that pets-api runs`);
        return { name, requested: true };
      },
    },
  };
}

/**
 * Moves sealed certificates into the storage: ordered and uploaded ones, and those of the platform, which are not among the
 * `moved`. Every pets-api does the same in the background; the command does it now, and shows how far it is. It may be
 * interrupted, repeated, and run several times at once.
 */
const BATCH = 200;
/** Certificates that fail come last at the next try. */
const MAX_FAILURES = 3;

export function certificateObjectCommands(context: AdminContext): AdminCommands {
  const repository = new CertificateObjectsRepository(context.db);
  return {
    'certificates move': {
      usage: '[--limit N] [--again] [--status]',
      run: async ({ limit, again, status }) => {
        if (status !== undefined) return repository.count();
        const wanted = limitOf(limit);
        const { objects, writeOfPlatform } = await certificateObjectsOf(context);
        if (again !== undefined) await expireAll(repository);
        let moved = 0;
        while (moved < wanted) {
          const batch = await objects.writeLeft(Math.min(BATCH, wanted - moved));
          if (batch === 0) break;
          moved += batch;
        }
        await writeOfPlatform();
        return { moved, ...(await repository.count()) };
      },
    },
  };
}

/**
 * Creates the writer of objects that also runs in the background, and `rewrite`, which writes all it can and returns
 * how many are left.
 */
export async function certificateObjectsOf({ db, config }: AdminContext) {
  const storage = await openFileStorage(setting(config, 'STORAGE_URL'));
  const repository = new CertificateObjectsRepository(db);
  const log = createLogger('admin', 'silent');
  const objects = new CertificateObjects(storage, repository, log);
  const writeOfPlatform = () => writePlatformObjects(storage, new PlatformCertificatesRepository(db), log);
  const rewrite = async (): Promise<number> => {
    let failures = 0;
    const writeSome = () =>
      objects.writeLeft(BATCH).catch(() => {
        failures += 1; // the result says how many are left
        return 1;
      });
    while (failures < MAX_FAILURES && (await writeSome()) > 0);
    await writeOfPlatform();
    return (await repository.count()).left;
  };
  return { objects, rewrite, writeOfPlatform };
}

async function expireAll(repository: CertificateObjectsRepository): Promise<void> {
  let last: string | null = null;
  do last = await repository.expire(last, BATCH);
  while (last !== null);
  await repository.expireOfPlatform();
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return Infinity;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new AdminError('--limit must be a whole number from 1');
  return Number(value);
}
