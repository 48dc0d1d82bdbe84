import { expect, it } from '@jest/globals';
import { UploadSpace } from './upload-space.js';

const MIB = 1024 * 1024;
const openSpace = (mib: number) => new UploadSpace({ UPLOAD_SPACE_BYTES: mib * MIB }, { gauge: () => undefined });

it('leaves half of it to other organizations', () => {
  const space = openSpace(1_000);
  const uploads = [1, 2, 3].map(() => space.reserve('greedy'));
  for (const upload of uploads.slice(0, 2)) upload.add(200 * MIB);
  expect(() => uploads[2]?.add(200 * MIB)).toThrow(/uploads of the organization take too much room/);
  uploads[2]?.add(100 * MIB);
  for (const organization of ['a', 'b']) space.reserve(organization).add(200 * MIB);
  expect(() => space.reserve('c').add(200 * MIB)).toThrow(/no room for this upload/);
});

it('has room again for whose uploads have ended', () => {
  const space = openSpace(1_000);
  const [one, other] = [space.reserve('greedy'), space.reserve('greedy')];
  for (const upload of [one, other]) upload.add(200 * MIB);
  expect(() => space.reserve('greedy').add(200 * MIB)).toThrow();
  one.release();
  expect(() => space.reserve('greedy').add(200 * MIB)).not.toThrow();
});

it('takes one upload of the largest size, however small it is', () => {
  expect(() =>
    openSpace(250)
      .reserve('one')
      .add(200 * MIB),
  ).not.toThrow();
});
