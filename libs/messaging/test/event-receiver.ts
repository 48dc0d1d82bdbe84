import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { INestMicroservice } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { createEventServer, OnEvent, type Messaging } from '../src/index.js';

type Served = DomainEvents['certificate.served'];

/** Records the events of the receiver below, and decides how it handles them. */
export const receiver = {
  received: [] as Served[],
  failures: [] as Error[],
  forget(): void {
    this.received = [];
    this.failures = [];
  },
};

@Controller()
class Receiver {
  @OnEvent('certificate.served')
  async onServed(event: DomainEvents['certificate.served']): Promise<void> {
    receiver.received.push(event);
    const failure = receiver.failures.shift();
    if (failure !== undefined) throw failure;
  }

  @OnEvent('certificate.not_served')
  async onNotServed(event: DomainEvents['certificate.not_served']): Promise<void> {
    refuse(event);
  }

  @OnEvent('edges.probed')
  async onProbed(event: DomainEvents['edges.probed']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.issued')
  async onIssued(event: DomainEvents['certificate.issued']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.ordered')
  async onOrdered(event: DomainEvents['certificate.ordered']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.pending')
  async onPending(event: DomainEvents['certificate.pending']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.failed')
  async onFailed(event: DomainEvents['certificate.failed']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.revoked')
  async onRevoked(event: DomainEvents['certificate.revoked']): Promise<void> {
    refuse(event);
  }

  @OnEvent('certificate.revocation_failed')
  async onRevocationFailed(event: DomainEvents['certificate.revocation_failed']): Promise<void> {
    refuse(event);
  }

  @OnEvent('revocation_list.checked')
  async onRevocationList(event: DomainEvents['revocation_list.checked']): Promise<void> {
    refuse(event);
  }

  @OnEvent('dns.checked')
  async onChecked(event: DomainEvents['dns.checked']): Promise<void> {
    refuse(event);
  }

  @OnEvent('domain.reverified')
  async onReverified(event: DomainEvents['domain.reverified']): Promise<void> {
    refuse(event);
  }

  @OnEvent('renewal_info.fetched')
  async onRenewalInfo(event: DomainEvents['renewal_info.fetched']): Promise<void> {
    refuse(event);
  }

  @OnEvent('webhook.attempted')
  async onWebhookAttempted(event: DomainEvents['webhook.attempted']): Promise<void> {
    refuse(event);
  }

  @OnEvent('account.ready')
  async onAccount(event: DomainEvents['account.ready']): Promise<void> {
    refuse(event);
  }
}

@Module({ controllers: [Receiver] })
class ReceiverModule {}

export async function startReceiver(messaging: Messaging): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(ReceiverModule, {
    strategy: createEventServer(messaging),
    logger: false,
  });
  await app.listen();
  return app;
}

function refuse(event: object): never {
  throw new Error(`unexpected event ${JSON.stringify(event)}`);
}
