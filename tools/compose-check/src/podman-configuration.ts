import { existsSync, readFileSync } from 'node:fs';

export interface Machine {
  readonly hasSystemd: boolean;
  /** Controllers of cgroup v2 where it is mounted beside cgroup v1; empty where only one version is in use. */
  readonly hybridControllers: string;
}

const HYBRID_CONTROLLERS_PATH = '/sys/fs/cgroup/unified/cgroup.controllers';

export function readMachine(): Machine {
  return {
    hasSystemd: existsSync('/run/systemd/system'),
    hybridControllers: existsSync(HYBRID_CONTROLLERS_PATH) ? readFileSync(HYBRID_CONTROLLERS_PATH, 'utf8').trim() : '',
  };
}

/**
 * Text of `containers.conf`: limits that a container may have where raising them is not allowed, no systemd where there is
 * none, and another runtime where crun, the default, refuses to start ("cgroups in hybrid mode not supported").
 */
export function containersConfiguration({ hasSystemd, hybridControllers }: Machine): string {
  return [
    '[containers]',
    'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]',
    '[engine]',
    ...(hasSystemd ? [] : ['cgroup_manager = "cgroupfs"', 'events_logger = "file"']),
    ...(hybridControllers === '' ? [] : ['runtime = "runc"']),
    '',
  ].join('\n');
}
