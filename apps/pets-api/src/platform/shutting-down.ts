import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Fires when the process begins to stop: ends streams and loops, and turns readiness off. */
@Injectable()
export class ShuttingDown implements BeforeApplicationShutdown {
  private readonly controller = new AbortController();
  readonly signal: AbortSignal = this.controller.signal;

  beginShutdown(): void {
    this.controller.abort();
  }

  beforeApplicationShutdown(): void {
    this.beginShutdown();
  }
}
