import { z } from 'zod';

/** The environment that commands read. What is set to nothing is not set. */
export const environmentSchema = z.object({
  /** Where the API is. */
  PETS_API_URL: z.string().optional(),
  /** The API key. Never an argument: those are seen by everyone on the machine. */
  PETS_API_KEY: z.string().optional(),
  /** The project that commands are about. */
  PETS_PROJECT: z.string().optional(),
  /** Where settings are kept; `~/.config` unless given. */
  XDG_CONFIG_HOME: z.string().optional(),
});

export type Environment = z.infer<typeof environmentSchema>;
