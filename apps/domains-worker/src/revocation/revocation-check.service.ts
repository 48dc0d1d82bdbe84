import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore, onAbort } from '@pets/async';
import type { DomainJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { request, type Agent } from 'undici';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG } from '../providers.js';
import { createReceiverAgent, receiverAddresses } from '../webhooks/receiver-agent.js';
import { unknown, type RevocationVerdict } from './evaluate-revocation-list.js';

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
    this.agent = createReceiverAgent(receiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  /** The addresses are asked at the same time. The first list that can be used decides, and the others are given up. */
  async check(job: Job, signal: AbortSignal): Promise<void> {
    const { certificateId, domainId, attempt, urls } = job;
    const decided = new AbortController();
    const until = AbortSignal.any([signal, decided.signal]);
    const verdicts = urls.map((url) => this.readRevocationList(url, job, until));
    const usable = verdicts.map(async (reading) => {
      const verdict = await reading;
      return verdict.result === 'unknown' ? Promise.reject(new Error('unknown')) : verdict;
    });
    const verdict = await Promise.any(usable).catch(async () => (await verdicts.at(-1)) ?? unknown('no list'));
    decided.abort();
    await this.events.send('revocation_list.checked', { certificateId, domainId, attempt, ...verdict }, signal);
  }

  private async readRevocationList(url: string, job: Job, signal: AbortSignal): Promise<RevocationVerdict> {
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

/** A list, the certificate of the CA that should have signed it (both DER), and the certificate that it may name. */
export interface RevocationList {
  readonly der: Uint8Array;
  readonly issuer: Uint8Array;
  /** Hex. */
  readonly serialNumber: string;
}

/** A list of 1 MiB with the smallest entries takes three seconds. */
const THREAD_LIMIT_MS = 10_000;
const HEAP_MIB = 256;

/** Strangers' lists never use more than two CPUs, and those of one organization not more than one. */
const threads = new FairSemaphore({ limit: 2, groupLimit: 1 });

/**
 * Evaluates a list in a thread, since a large one would block the event loop for seconds. Organizations take turns.
 * @throws Error when it takes too long or too much memory, and the reason of the signal after its abort
 */
async function readRevocationList(
  list: RevocationList,
  organizationId: string,
  signal: AbortSignal,
): Promise<RevocationVerdict> {
  const release = await threads.acquire('', organizationId, onAbort(signal));
  if (release === null) throw signal.reason;
  return evaluate(list, signal).finally(release);
}

async function evaluate(list: RevocationList, signal: AbortSignal): Promise<RevocationVerdict> {
  signal.throwIfAborted();
  // Tests run the sources, whose file extension differs from that of the compiled files.
  const { pathname } = new URL(import.meta.url);
  const file = new URL(`./revocation-list-thread${extname(pathname)}`, import.meta.url);
  const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  try {
    thread.postMessage(list);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(THREAD_LIMIT_MS)]);
    const [verdict] = (await once(thread, 'message', { signal: limit })) as [RevocationVerdict]; // only our thread sends messages
    return verdict;
  } finally {
    void thread.terminate();
  }
}
