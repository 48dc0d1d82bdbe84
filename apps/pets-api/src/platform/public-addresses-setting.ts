import { MAX_PUBLIC_ADDRESSES } from '@pets/contracts';
import { addressKey, findAddressFault } from '@pets/domains';
import { setting } from '@pets/platform';
import { z } from 'zod';

/** The addresses at which the platform answers visitors: docs/operations/administration.md. */
export const publicAddressesSetting = {
  /**
   * Public addresses at which this platform alone answers, comma-separated: owners of an apex may enter them where their DNS
   * provider has no ALIAS. They are the first content of a list in the database, and are read while it is empty: [Public
   * addresses](docs/operations/administration.md#public-addresses).
   */
  PUBLIC_ADDRESSES: setting
    .list()
    .pipe(
      z
        .array(
          z.string().superRefine((address, context) => {
            const fault = findAddressFault(address);
            if (fault !== null) context.addIssue({ code: 'custom', message: fault.problem });
          }),
        )
        .max(MAX_PUBLIC_ADDRESSES)
        .refine((all) => new Set(all.map(addressKey)).size === all.length, 'has an address twice'),
    )
    .default([]),
} as const;
