import { expect, it } from '@jest/globals';
import { countOpens, parseCalls, sumOfFrequent } from './system-calls.js';

const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 55.56    0.000005           5       500           read
 44.44    0.000004           2       501         7 epoll_wait
  0.00    0.000000           0        10           futex
------ ----------- ----------- --------- --------- ----------------
100.00    0.000009           0      1011         7 total
`;

it('reads calls by name from the table of strace, without their sum', () => {
  expect([...parseCalls(table)]).toEqual([
    ['read', 500],
    ['epoll_wait', 501],
    ['futex', 10],
  ]);
});

it('leaves out what is too rare to belong to each operation', () => {
  expect(sumOfFrequent([...parseCalls(table).values()], 500)).toBeCloseTo(2.002);
});

it('counts the files that were opened, also by a thread that was interrupted', () => {
  const trace = `71 openat(AT_FDCWD, "/app/main.js", O_RDONLY|O_CLOEXEC) = 17
71 openat(AT_FDCWD, "/app/missing.js", O_RDONLY) = -1 ENOENT (No such file or directory)
71 openat(AT_FDCWD, "/proc/self/maps", O_RDONLY) = 18
72 openat(AT_FDCWD, "/app/other.js", O_RDONLY|O_CLOEXEC <unfinished ...>
72 <... openat resumed>)                = 19
71 open("relative.js", O_RDONLY)        = 20
71 +++ exited with 0 +++
`;
  expect(countOpens(trace)).toBe(3);
});
