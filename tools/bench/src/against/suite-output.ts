/** What a suite of any build of this repository prints, as far as two builds can be compared by it. */
export interface SuiteOutput {
  /** By name, as the suite calls them; `cpu/…` are CPU seconds for one unit of work. */
  readonly figures: ReadonlyMap<string, number>;
  /** Why the suite did not complete. */
  readonly failed?: string;
}

const ratioLine = /^ratio (?<name>\S+) (?<value>[\d.]+)(?: |$)/;
/** `redis: CPU for the 20000: pets-api 7.7 s, postgres 12.0 s` */
const cpuLine = /^(?<what>[^:]+): CPU for the (?<count>\d+): (?<parts>.+)$/;
const cpuPart = /^(?<name>.+) (?<seconds>[\d.]+) s$/;
/** `ours: handshake 0.105 CPU s a thousand, 900/s` */
const thousandLine = /^(?<who>[^:]+): (?<what>.+) (?<seconds>[\d.]+) CPU s a thousand/;
const failedLine = /^failed: [^:]+: (?<reason>.+)$/;

const THOUSAND = 1_000;

/** Reads the figures and the CPU times of a suite from the lines it prints, whose forms no release has changed. */
export function readSuiteOutput(lines: readonly string[]): SuiteOutput {
  const figures = new Map<string, number>();
  let failed: string | undefined;
  for (const line of lines) {
    for (const [name, value] of readLine(line)) figures.set(name, value);
    failed = failedLine.exec(line)?.groups?.['reason'] ?? failed;
  }
  return { figures, ...(failed !== undefined && { failed }) };
}

function readLine(line: string): (readonly [name: string, value: number])[] {
  const ratio = ratioLine.exec(line)?.groups;
  if (ratio !== undefined) return [[ratio['name'] ?? '', Number(ratio['value'])]];
  const thousand = thousandLine.exec(line)?.groups;
  if (thousand !== undefined) {
    return [[cpuName(thousand['what'], thousand['who']), Number(thousand['seconds']) / THOUSAND]];
  }
  const cpu = cpuLine.exec(line)?.groups;
  return (cpu?.['parts'] ?? '').split(', ').flatMap((part) => {
    const { name, seconds } = cpuPart.exec(part)?.groups ?? {};
    return name === undefined
      ? []
      : [[cpuName(cpu?.['what'], name), Number(seconds) / Number(cpu?.['count'])] as const];
  });
}

function cpuName(...parts: readonly (string | undefined)[]): string {
  return ['cpu', ...parts.map((part) => part?.replaceAll(' ', '-'))].join('/');
}
