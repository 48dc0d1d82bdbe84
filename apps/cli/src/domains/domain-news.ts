import { AutoResetEvent } from '@pets/async';
import { readProjectEvents } from '@pets/client';
import type { ApiAccess } from '../api/api.js';

/**
 * Tells by the event stream of a project when a domain is worth reading again. It only ever makes a reader look sooner:
 * where the stream cannot be had, is refused or breaks, `isOpen` is false and the reader goes by the clock.
 */
export class DomainNews {
  /** What news is about; all of the project's until it is known. */
  domainId: string | null = null;

  #isOpen = false;
  readonly #changed = new AutoResetEvent();
  readonly #end = new AbortController();

  constructor({ apiUrl: baseUrl, apiKey }: ApiAccess, projectId: string) {
    const { signal } = this.#end;
    const events = readProjectEvents({ baseUrl, apiKey, projectId, signal, fetch: (request) => this.#open(request) });
    void this.#follow(events).catch(() => (this.#isOpen = false)); // refused: the clock is good enough
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Until there is news, or so long. */
  async wait(limitMs: number): Promise<void> {
    await this.#changed.wait(limitMs);
  }

  close(): void {
    this.#end.abort();
  }

  /** A stream that has to be opened anew may have missed something until it is open. */
  #open(request: Request): Promise<Response> {
    this.#isOpen = false;
    return fetch(request);
  }

  async #follow(events: ReturnType<typeof readProjectEvents>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'ready') this.#isOpen = true;
      const about = event.type === 'history' ? event.entry.domainId : event.type === 'changed' ? event.domainId : null;
      if (about !== null && this.domainId !== null && about !== this.domainId) continue;
      this.#changed.set();
    }
  }
}
