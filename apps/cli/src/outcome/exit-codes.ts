/**
 * How a command can end, and the exit code it ends with. A script switches over these: `not_yet` is worth trying again
 * as it is, `refused` is not before something has been changed.
 */
export const exitCodes = {
  /** What was asked for is so. */
  done: 0,
  /** A fault of this program. */
  failed: 1,
  /** The command line or the settings are wrong. */
  usage: 2,
  /** Not so yet: DNS, a certificate, an edge or a limit of requests is waited for. */
  not_yet: 3,
  /** Refused, or wrong in a way that time does not mend: somebody has to change something. */
  refused: 4,
  /** The API key is missing, unknown, or may not do this. */
  unauthorized: 5,
  /** The API or all name servers could not be reached, or failed. */
  unavailable: 6,
  /** Ctrl-C, as shells have it: 128 and the number of SIGINT. */
  interrupted: 130,
} as const;

export type OutcomeStatus = keyof typeof exitCodes;
