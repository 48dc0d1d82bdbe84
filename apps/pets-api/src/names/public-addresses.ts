import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { expectedAddresses, offeredAddresses, type PublicAddress } from '@pets/domains';
import { BackgroundTasks } from '../platform/background-tasks.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { PublicAddressesRepository } from './public-addresses.repository.js';

/** A change is known to every replica after this. */
const REFRESH_MS = 5_000;

/**
 * The public addresses of the platform, in memory: every check and every presented domain needs them. The table is the only
 * source of those that are offered; the setting is its first content.
 */
@Injectable()
export class PublicAddresses implements OnModuleInit {
  #listed: readonly PublicAddress[] = [];
  #expected = expectedAddresses([]);
  #offered: readonly string[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PUBLIC_ADDRESSES'>,
    private readonly repository: PublicAddressesRepository,
    private readonly tasks: BackgroundTasks,
  ) {}

  async onModuleInit(): Promise<void> {
    const { PUBLIC_ADDRESSES: first } = this.config;
    if (first.length > 0) await this.repository.insertFirst(first);
    await this.refresh();
    this.tasks.repeat({
      everyMs: REFRESH_MS,
      failure: 'public addresses not read',
      run: () => this.refresh(),
    });
  }

  async refresh(): Promise<void> {
    this.#listed = await this.repository.list();
    this.#expected = expectedAddresses(this.#listed);
    this.#offered = offeredAddresses(this.#expected);
  }

  get listed(): readonly PublicAddress[] {
    return this.#listed;
  }

  /** The part of a check's expectation: which addresses are ours. */
  get expected(): ReturnType<typeof expectedAddresses> {
    return this.#expected;
  }

  /** Addresses that owners may put into records. */
  get offered(): readonly string[] {
    return this.#offered;
  }
}
