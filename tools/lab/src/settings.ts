import { loadConfigOrExit } from '@pets/platform';
import { z } from 'zod';

export const settings = loadConfigOrExit(
  z.object({
    /** A folder for CPU profiles of the processes of a stack. */
    PROFILE: z.string().optional(),
    /** Folders to find servers in. */
    PATH: z.string().default(''),
  }),
);
