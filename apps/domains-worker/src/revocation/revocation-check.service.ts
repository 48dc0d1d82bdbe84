import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DomainJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { request, type Agent } from 'undici';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG } from '../providers.js';
import { createReceiverAgent, ReceiverAddresses } from '../webhooks/receiver-agent.js';
import { unknown, type RevocationVerdict } from './evaluate-revocation-list.js';
import { readRevocationList } from './revocation-list-reader.js';

type Job = DomainJobs['check-revocation-list'];

/** Lists of large CAs are split; a larger one is not read. */
const MAX_BYTES = 1024 * 1024;
/** For one address of a list. */
const LIMIT_MS = 5_000;

/**
 * Reads the revocation list of an uploaded certificate, and reports what it says. Its address was written by a stranger, so
 * the guard of webhooks applies: public addresses only, and no redirects. A list that cannot be read is reported as such.
 */
@Injectable()
export class RevocationCheckService implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
    private readonly events: EventSender,
  ) {
    this.agent = createReceiverAgent(new ReceiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  /** The first list that can be used decides. */
  async check(job: Job, signal: AbortSignal): Promise<void> {
    const { certificateId, domainId, attempt, urls } = job;
    let verdict = unknown('no list');
    for (const url of urls) {
      verdict = await this.read(url, job, signal);
      if (verdict.result !== 'unknown') break;
    }
    await this.events.send('revocation_list.checked', { certificateId, domainId, attempt, ...verdict }, signal);
  }

  private async read(url: string, { issuer, serialNumber }: Job, signal: AbortSignal): Promise<RevocationVerdict> {
    try {
      const der = await download(this.agent, url, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
      return await readRevocationList({ der, issuer: Buffer.from(issuer, 'base64url'), serialNumber }, signal);
    } catch (error) {
      return unknown(`${url} cannot be read: ${failureText(error)}`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

/** @throws Error for another answer than 200, one that is too large, and one that takes too long */
async function download(agent: Agent, url: string, signal: AbortSignal): Promise<Buffer> {
  const { statusCode, body } = await request(url, { dispatcher: agent, signal });
  if (statusCode !== 200) {
    body.on('error', () => undefined).destroy();
    throw new Error(`the answer has the status ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the list has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
