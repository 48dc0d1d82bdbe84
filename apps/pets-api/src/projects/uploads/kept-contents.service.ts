import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage, Logger } from '@pets/platform';
import { readStoredEntries, type ListedFile } from '@pets/sites';
import { LOG, STORAGE } from '../../platform/providers.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';

/**
 * The contents of a manifest that an upload has: those of kept deployments of its project, and those that were sent. They
 * are a bit for each content, in order of the hashes.
 */
export class HeldContents {
  readonly #files: readonly ListedFile[];
  readonly #positions: ReadonlyMap<string, number>;

  constructor(files: readonly ListedFile[]) {
    this.#files = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const hashes = [...new Set(files.map(({ sha256 }) => sha256))].sort();
    this.#positions = new Map(hashes.map((sha256, position) => [sha256, position]));
  }

  get hashes(): ReadonlySet<string> {
    return new Set(this.#positions.keys());
  }

  /** The bits of some contents of the manifest. */
  bitsOf(hashes: Iterable<string>): Buffer {
    const bits = Buffer.alloc(Math.ceil(this.#positions.size / 8));
    for (const sha256 of hashes) {
      const position = this.#positions.get(sha256) ?? -1;
      if (position >= 0) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
    }
    return bits;
  }

  /** The files whose contents are not held, in order of their paths: one of each content. */
  lackingIn(bits: Buffer): ListedFile[] {
    const lacking = new Map<string, ListedFile>();
    for (const file of this.#files) {
      const position = this.#positions.get(file.sha256) ?? -1;
      const isHeld = (((bits[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
      if (!isHeld && !lacking.has(file.sha256)) lacking.set(file.sha256, file);
    }
    return [...lacking.values()];
  }
}

/** The contents of two sets of bits. */
export function joinBits(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte | (other[at] ?? 0)));
}

/** Indexes that are read at a time: up to 720 KB each. */
const CONCURRENT_READS = 4;

/** The contents of the kept deployments of a project. */
@Injectable()
export class KeptContents {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly deployments: DeploymentsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Sizes of those contents that kept deployments have, by SHA-256. They stay stored for a day, also when the deployments are
   * collected. Secrets are left out: each deployment has to allow them.
   */
  async find(projectId: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const kept = await this.deployments.listKeptHashes(projectId);
    await forEachConcurrent(kept, CONCURRENT_READS, async (contentHash) => {
      if (found.size === wanted.size) return;
      try {
        for await (const page of readStoredEntries(this.storage, contentHash))
          for (const { sha256, bytes, isSecret = false } of page)
            if (!isSecret && wanted.has(sha256)) found.set(sha256, bytes);
      } catch (error) {
        this.log.error({ err: error, projectId, contentHash }, 'earlier deployment not read; its files are sent again');
      }
    });
    return found;
  }
}
