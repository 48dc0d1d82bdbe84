import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore, onAbort } from '@pets/async';
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
  private readonly hosts = new FairSemaphore({ limit: 1 });

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
    private readonly events: EventSender,
  ) {
    this.agent = createReceiverAgent(new ReceiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  /** The addresses are asked at the same time. The first list that can be used decides, and the others are given up. */
  async check(job: Job, signal: AbortSignal): Promise<void> {
    const { certificateId, domainId, attempt, urls } = job;
    const decided = new AbortController();
    const until = AbortSignal.any([signal, decided.signal]);
    const verdicts = urls.map((url) => this.read(url, job, until));
    const usable = verdicts.map(async (reading) => {
      const verdict = await reading;
      return verdict.result === 'unknown' ? Promise.reject(new Error('unknown')) : verdict;
    });
    const verdict = await Promise.any(usable).catch(async () => (await verdicts.at(-1)) ?? unknown('no list'));
    decided.abort();
    await this.events.send('revocation_list.checked', { certificateId, domainId, attempt, ...verdict }, signal);
  }

  private async read(url: string, job: Job, signal: AbortSignal): Promise<RevocationVerdict> {
    const { issuer, serialNumber, organizationId } = job;
    try {
      const der = await this.download(url, organizationId, signal);
      return await readRevocationList(
        { der, issuer: Buffer.from(issuer, 'base64url'), serialNumber },
        organizationId,
        signal,
      );
    } catch (error) {
      return unknown(`${url} cannot be read: ${failureText(error)}`);
    }
  }

  /** One list at a time from a host. Its organizations take turns, and a wait has the same limit as a download. */
  private async download(url: string, organizationId: string, signal: AbortSignal): Promise<Buffer> {
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const release = await this.hosts.acquire(new URL(url).host.toLowerCase(), organizationId, onAbort(waiting));
    if (release === null) throw new Error('its host answers too slowly');
    return download(this.agent, url, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])).finally(release);
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
