import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { MAX_WEBHOOK_ENDPOINTS, type NewWebhookEndpoint, type WebhookEndpointChange } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { DomainError, seal } from '@pets/platform';
import type { Config } from '../config.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { CONFIG, DATABASE } from '../providers.js';
import { findUrlFault } from './judge-webhook-url.js';
import { generateWebhookSecret } from './sign-webhook.js';
import { WebhookEndpointsRepository, type WebhookEndpointRow } from './webhook-endpoints.repository.js';
import { WebhookSecretsRepository, webhookSecretBinding } from './webhook-secrets.repository.js';

/** How long the secret before the current one signs as well. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** An endpoint's row and, this one time, its secret. */
export interface EndpointWithSecret {
  readonly secret: string;
  readonly row: WebhookEndpointRow;
}

/**
 * Endpoints of an organization. A secret is made here, sealed for its row, and opened only to sign: it is in no job, no
 * event and no log, and shown once.
 */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS' | 'CERTIFICATE_KEKS'>,
    private readonly projects: ProjectsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly secrets: WebhookSecretsRepository,
  ) {}

  /** @throws DomainError `webhook_limit_reached`; `invalid_parameter` for a URL or a project that will not do */
  async create(db: Database, organizationId: string, endpoint: NewWebhookEndpoint): Promise<EndpointWithSecret> {
    this.assertSendable(endpoint.url);
    if (endpoint.projectId !== null) await this.assertProject(db, organizationId, endpoint.projectId);
    return inTransaction(db, async (tx) => {
      if ((await this.endpoints.countLocked(tx, organizationId)) >= MAX_WEBHOOK_ENDPOINTS)
        throw new DomainError(
          'webhook_limit_reached',
          `An organization can have at most ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints.`,
        );
      const id = await this.endpoints.insert(tx, organizationId, endpoint);
      const secret = await this.addSecret(tx, id);
      return { secret, row: await this.endpoints.get(organizationId, id, tx) };
    });
  }

  /** @throws DomainError `not_found`, `invalid_parameter` */
  async change(
    organizationId: string,
    id: string,
    { enabled, ...values }: WebhookEndpointChange,
    now: Date,
  ): Promise<WebhookEndpointRow> {
    if (values.url !== undefined) this.assertSendable(values.url);
    return this.db.transaction().execute(async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      await this.endpoints.update(tx, id, values);
      if (enabled === true) await this.endpoints.enable(tx, id);
      if (enabled === false) await this.endpoints.disable(tx, id, 'owner', now);
      return this.endpoints.get(organizationId, id, tx);
    });
  }

  /** @throws DomainError `not_found` */
  async rotateSecret(db: Database, organizationId: string, id: string, now: Date): Promise<EndpointWithSecret> {
    return inTransaction(db, async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      await this.secrets.retire(tx, id, new Date(now.getTime() + OVERLAP_MS));
      const secret = await this.addSecret(tx, id);
      return { secret, row: await this.endpoints.get(organizationId, id, tx) };
    });
  }

  /** @throws DomainError `not_found` */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      await this.endpoints.lock(tx, organizationId, id);
      await this.endpoints.delete(tx, id);
    });
  }

  private async addSecret(tx: Tx, endpointId: string): Promise<string> {
    const [id, secret] = [randomUUID(), generateWebhookSecret()];
    const sealed = seal(this.config.CERTIFICATE_KEKS, secret, webhookSecretBinding(id, endpointId));
    await this.secrets.insert(tx, endpointId, { id, sealed });
    return secret;
  }

  private assertSendable(url: string): void {
    const fault = findUrlFault(url, this.config.ALLOW_PRIVATE_WEBHOOK_TARGETS);
    if (fault !== null) throw new DomainError('invalid_parameter', `url: ${fault}`);
  }

  private async assertProject(db: Database, organizationId: string, projectId: string): Promise<void> {
    if (!(await this.projects.exists(organizationId, projectId, db)))
      throw new DomainError('invalid_parameter', 'projectId: there is no such project');
  }
}
