import { randomUUID } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import {
  fieldError,
  type AuditEventType,
  type FieldError,
  type NewWebhookEndpoint,
  type WebhookEndpointChange,
} from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError, seal } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { Config } from '../../platform/config.js';
import { webhookSecretBinding } from '../../platform/encryption-keys/bindings.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { presentEndpoint } from './present-webhooks.js';
import { generateWebhookSecret, WebhookSecretsRepository } from './sign-webhook.js';
import { WebhookDeliveriesRepository, type DeliveryRow } from './webhook-deliveries.repository.js';
import { WebhookEndpointsRepository, type WebhookEndpointRow } from './webhook-endpoints.repository.js';

/** An endpoint with its secret, which only this response shows. */
interface EndpointWithSecret {
  readonly secret: string;
  readonly row: WebhookEndpointRow;
}

/**
 * Endpoints of an organization. A secret is stored sealed for its row and opened only to sign: no job, event or log
 * contains it, and it is shown once.
 */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS' | 'CERTIFICATE_KEKS'>,
    private readonly projects: ProjectsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly secrets: WebhookSecretsRepository,
    private readonly limits: LimitsService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws RequestError `webhook_limit_reached`; `invalid_parameter` for an invalid URL or project */
  async create(db: Database, organizationId: string, endpoint: NewWebhookEndpoint): Promise<EndpointWithSecret> {
    requireNone([
      ...this.findUrlErrors(endpoint.url),
      ...(await this.findProjectErrors(db, organizationId, endpoint.projectId)),
    ]);
    return inTransaction(db, async (tx) => {
      const { webhookEndpoints: max } = await this.limits.lock(tx, organizationId);
      if ((await this.endpoints.count(organizationId, tx)) >= max)
        throw new RequestError('webhook_limit_reached', `An organization can have at most ${max} webhook endpoints.`);
      const id = await this.endpoints.insert(tx, organizationId, endpoint);
      const secret = await this.addSecret(tx, id);
      const row = await this.endpoints.get(organizationId, id, tx);
      await this.record(tx, organizationId, 'webhook_endpoint.created', row);
      return { secret, row };
    });
  }

  /** @throws RequestError `not_found`, `invalid_parameter` */
  async change(
    organizationId: string,
    id: string,
    { enabled, ...values }: WebhookEndpointChange,
    now: Date,
  ): Promise<WebhookEndpointRow> {
    if (values.url !== undefined) requireNone(this.findUrlErrors(values.url));
    return this.db.transaction().execute(async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      await this.endpoints.update(tx, id, values);
      if (enabled === true) await this.endpoints.enable(tx, id);
      if (enabled === false) await this.endpoints.disable(tx, id, 'owner', now);
      const row = await this.endpoints.get(organizationId, id, tx);
      await this.record(tx, organizationId, 'webhook_endpoint.changed', row);
      return row;
    });
  }

  /** @param until when the previous secret ends; null: now. @throws RequestError `not_found` */
  async rotateSecret(
    db: Database,
    organizationId: string,
    id: string,
    until: Date | null,
  ): Promise<EndpointWithSecret> {
    return inTransaction(db, async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      await this.secrets.retire(tx, id, until);
      const secret = await this.addSecret(tx, id);
      const row = await this.endpoints.get(organizationId, id, tx);
      await this.record(tx, organizationId, 'webhook_endpoint.secret_rotated', row);
      return { secret, row };
    });
  }

  /** @throws RequestError `not_found` */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      const row = await this.endpoints.get(organizationId, id, tx);
      await this.record(tx, organizationId, 'webhook_endpoint.deleted', row);
      await this.endpoints.delete(tx, id);
    });
  }

  /** Records only the host of the URL: paths and queries of receivers often contain a token. */
  private async record(
    tx: Tx,
    organizationId: string,
    type: AuditEventType,
    { id, url, projectId, eventTypes, enabled }: WebhookEndpointRow,
  ): Promise<void> {
    const subject = { kind: 'webhook_endpoint', id } as const;
    const detail = { host: new URL(url).host, projectId, eventTypes, enabled };
    await this.audit.record(tx, { organizationId, type, subject, detail });
  }

  private async addSecret(tx: Tx, endpointId: string): Promise<string> {
    const id = randomUUID();
    const secret = generateWebhookSecret();
    const sealed = seal(this.config.CERTIFICATE_KEKS, secret, webhookSecretBinding(id, endpointId));
    await this.secrets.insert(tx, endpointId, { id, sealed });
    return secret;
  }

  private findUrlErrors(url: string): FieldError[] {
    const fault = validateWebhookUrl(url, this.config.ALLOW_PRIVATE_WEBHOOK_TARGETS);
    return fault === null ? [] : [fieldError('url', fault)];
  }

  private async findProjectErrors(db: Database, organizationId: string, projectId: string | null) {
    if (projectId === null || (await this.projects.exists(organizationId, projectId, db))) return [];
    return [fieldError('projectId', 'there is no such project')];
  }
}

/** @throws RequestError `invalid_parameter` */
function requireNone([first, ...others]: readonly FieldError[]): void {
  if (first !== undefined) throw RequestError.ofFields('invalid_parameter', [first, ...others]);
}

/** Addresses of this machine and of private networks (RFC 1918, RFC 4193): where plain HTTP may be allowed. */
const privateAddresses = new BlockList();
for (const [network, length] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateAddresses.addSubnet(network, length, 'ipv4');
privateAddresses.addAddress('::1', 'ipv6');
privateAddresses.addSubnet('fc00::', 7, 'ipv6');

/**
 * Checks the URL of a webhook endpoint; null when it is valid. The sender checks the addresses of a host name when it sends
 * a request, since they can change until then.
 * @param allowsPrivate whether private addresses are allowed, as in development
 */
export function validateWebhookUrl(url: string, allowsPrivate: boolean): string | null {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return null;
  if (allowsPrivate) return isPrivate(hostname) ? null : 'must be https, or http at an address of a private network';
  return 'must be https';
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  switch (isIP(host)) {
    case 4:
      return privateAddresses.check(host, 'ipv4');
    case 6:
      return privateAddresses.check(host, 'ipv6');
    default:
      return host === 'localhost' || host.endsWith('.localhost');
  }
}

/** Deliveries that an owner requests: replays and tests. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws RequestError `not_found`; `conflict` while the endpoint is disabled */
  async replay(db: Database, organizationId: string, endpointId: string, id: string): Promise<DeliveryRow> {
    return inTransaction(db, async (tx) => {
      const host = await this.lockEnabled(tx, organizationId, endpointId);
      await this.deliveries.get(endpointId, id, tx);
      await this.deliveries.replay(tx, id);
      const subject = { kind: 'webhook_delivery', id } as const;
      await this.audit.record(tx, {
        organizationId,
        type: 'webhook_delivery.replayed',
        subject,
        detail: { host, endpointId },
      });
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  /** @throws RequestError `not_found`; `conflict` while the endpoint is disabled */
  async test(db: Database, organizationId: string, endpointId: string): Promise<DeliveryRow> {
    return inTransaction(db, async (tx) => {
      const host = await this.lockEnabled(tx, organizationId, endpointId);
      const endpoint = presentEndpoint(await this.endpoints.get(organizationId, endpointId, tx));
      const subject = { kind: 'webhook_endpoint', id: endpointId } as const;
      await this.audit.record(tx, { organizationId, type: 'webhook_endpoint.tested', subject, detail: { host } });
      const id = await this.deliveries.insertTest(tx, endpointId, JSON.stringify(endpoint));
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  /** @returns the host of the endpoint, for the audit log */
  private async lockEnabled(tx: Tx, organizationId: string, endpointId: string): Promise<string> {
    const { enabled, url } = await this.endpoints.lock(tx, organizationId, endpointId);
    if (!enabled) throw new RequestError('conflict', 'The endpoint is disabled. Enable it first.');
    return new URL(url).host;
  }
}
