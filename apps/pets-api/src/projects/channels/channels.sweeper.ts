import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { ChannelRemovals } from './channel-removals.service.js';

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 100;
const FAILURE = 'channels not ended';

/** Ends the channels whose time is over. */
@Injectable()
export class ChannelsSweeper implements OnModuleInit {
  constructor(
    private readonly removals: ChannelRemovals,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.removals.endSome(limit) });
  }
}
