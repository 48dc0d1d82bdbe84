import { z } from 'zod';

/** What is taken from our own environment: where programs are, and how Docker is reached. */
export const settingsSchema = z.object({
  PATH: z.string(),
  HOME: z.string().optional(),
  XDG_RUNTIME_DIR: z.string().optional(),
  DOCKER_HOST: z.string().optional(),
  DOCKER_CONFIG: z.string().optional(),
  DOCKER_CONTEXT: z.string().optional(),
  /** Set by npm while it runs a script: where it is itself. */
  npm_execpath: z.string(),
});

type Settings = z.infer<typeof settingsSchema>;

/** The stack's settings are not those of our own shell: a command gets what it needs to run, and nothing else. */
export function commandEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).filter(
      (entry): entry is [string, string] => entry[0] !== 'npm_execpath' && entry[1] !== undefined,
    ),
  );
}
