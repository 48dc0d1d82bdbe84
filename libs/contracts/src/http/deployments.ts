const MIB = 1024 * 1024;

/** What a bundle of files may be, for a deployment to be made of it. */
export const bundleLimits = {
  /** As sent, gzipped. */
  compressedBytes: 50 * MIB,
  /** The files together. */
  unpackedBytes: 200 * MIB,
  files: 10_000,
  /** In UTF-16 units, as JavaScript counts. */
  pathLength: 512,
  /** All paths together, in UTF-8: what a deployment costs to look files up in, however small its files are. */
  pathBytes: MIB,
} as const;
