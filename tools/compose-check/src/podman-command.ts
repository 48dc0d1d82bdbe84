/** Runs a command of podman. */
export type Podman = (args: readonly string[], timeoutMs?: number) => Promise<string>;
