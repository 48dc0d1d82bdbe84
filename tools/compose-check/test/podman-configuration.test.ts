import { describe, expect, it } from '@jest/globals';
import { containersConfiguration } from '../src/podman.js';

describe('containers.conf for Podman', () => {
  it('names runc where cgroup v2 has controllers beside cgroup v1, which crun refuses', () => {
    const conf = containersConfiguration({ hasSystemd: true, hybridControllers: 'hugetlb' });
    expect(conf).toContain('runtime = "runc"');
  });

  it('leaves the default runtime and systemd where they work', () => {
    const conf = containersConfiguration({ hasSystemd: true, hybridControllers: '' });
    expect(conf).not.toMatch(/runtime|cgroup_manager|events_logger/);
  });

  it('asks nothing of systemd where there is none', () => {
    const conf = containersConfiguration({ hasSystemd: false, hybridControllers: '' });
    expect(conf).toMatch(/\[engine\]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"/);
  });
});
